// Keys of a person's tools: made with the topics that they are for, listed, revoked. A key never may more than its owner,
// who must be allowed to publish to each topic when the key is made and again whenever it is used.
import { createHash } from 'node:crypto'
import { PREFIX_BYTES, printKey, SECRET_BYTES, SOURCE_BYTES } from '#server/domain/ingest/key-text.ts'
import { type CreateKeyInput, KEYS_PER_PERSON_MAX, type KeyView } from '#shared/api-key.ts'
import type { Clock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import type { KeyStore, TopicStore } from './ports.ts'

type Deps = {
  keys: KeyStore
  topics: Pick<TopicStore, 'view'>
  clock: Clock
  randomBytes: (size: number) => Buffer
  /** The secret with which GitHub signs for a source. */
  sourceSecret: (prefix: string) => string
}

export type ManageKeys = ReturnType<typeof createManageKeys>

export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export function createManageKeys({ keys, topics, clock, randomBytes, sourceSecret }: Deps) {
  /** The topics' ids; refuses by place what the owner may not publish to. */
  async function grantable(owner: string, names: string[]): Promise<number[]> {
    const ids: number[] = []
    for (const [place, name] of names.entries()) {
      const topic = await topics.view(owner, name)
      const field = `topics.${place}`
      if (!topic) throw new AppError('NOT_FOUND', 'This topic does not exist, or you are not in it.', { field })
      if (!topic.mayPost) throw new AppError('NOT_ALLOWED', 'Only owners publish to this topic.', { field })
      ids.push(topic.id)
    }
    return ids
  }

  function secrets(kind: CreateKeyInput['kind']): { prefix: string; secretHash: string | null; shown: string } {
    if (kind === 'github') {
      const prefix = randomBytes(SOURCE_BYTES).toString('hex')
      return { prefix, secretHash: null, shown: sourceSecret(prefix) }
    }
    const prefix = randomBytes(PREFIX_BYTES).toString('hex')
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    return { prefix, secretHash: hashSecret(secret), shown: printKey(prefix, secret) }
  }

  return {
    list: (owner: string): Promise<KeyView[]> => keys.list(owner),

    /** The secret is in this answer and nowhere else. */
    async create(owner: string, { kind, name, topics: names }: CreateKeyInput) {
      const topicIds = await grantable(owner, names)
      const { prefix, secretHash, shown } = secrets(kind)
      const at = new Date(clock.now())
      const key = await keys.create(
        { kind, ownerId: owner, name, source: name, prefix, secretHash, topicIds, at },
        KEYS_PER_PERSON_MAX,
      )
      if (!key) throw new AppError('NOT_ALLOWED', `At most ${KEYS_PER_PERSON_MAX} keys: revoke one first.`)
      return { key, secret: shown }
    },

    async revoke(owner: string, id: number) {
      const revoked = await keys.revoke(owner, id, new Date(clock.now()))
      if (!revoked) throw new AppError('NOT_FOUND', 'You have no such key.', { field: 'id' })
      return { id }
    },
  }
}
