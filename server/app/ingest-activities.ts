// Tools publish: recognised by a key or a signature, within the topics of the key, with the right of its owner at this
// moment. What they send goes the same way as everything else, through publish-activity.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { isSource, parseKey } from '#server/domain/ingest/key-text.ts'
import type { PublishInput } from '#shared/activity.ts'
import type { Clock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import { hashSecret } from './manage-keys.ts'
import type { KeyStore, StoredKey } from './ports.ts'
import { keyReused, type PublishActivity, type Stored } from './publish-activity.ts'

type Deps = {
  keys: Pick<KeyStore, 'find' | 'used'>
  publishActivity: Pick<PublishActivity, 'publishTogether'>
  clock: Clock
  sourceSecret: (prefix: string) => string
  usedEveryMs: number
  onUsedError: (error: unknown) => void
}

export type IngestActivities = ReturnType<typeof createIngestActivities>

type Batch = {
  inputs: PublishInput[]
  /** Errors name the place in the list. */
  many: boolean
  /** For the whole; those with a key of their own keep it. */
  idempotencyKey?: string | undefined
  /** The header that brought it. */
  keyHeader: string
  /** Who acts, where it is not the tool itself but somebody known there. */
  actorName?: string
}

/** Compared with when there is nothing to compare with, so that both take as long. */
const NO_HASH = hashSecret('')
const NO_SOURCE = '0'.repeat(32)

export function createIngestActivities(deps: Deps) {
  const { keys, publishActivity, clock, sourceSecret } = deps

  function noteUse({ id, lastUsedAt }: StoredKey): void {
    const now = clock.now()
    if (lastUsedAt && now - lastUsedAt.getTime() < deps.usedEveryMs) return
    keys.used(id, new Date(now)).catch(deps.onUsedError)
  }

  return {
    /** Null when the token is no key, of a key that was revoked, or wrong. */
    async byToken(token: string | null): Promise<StoredKey | null> {
      const parts = token === null ? null : parseKey(token)
      if (!parts) return null
      const key = await keys.find('bearer', parts.prefix)
      if (!sameText(hashSecret(parts.secret), key?.secretHash ?? NO_HASH) || !key) return null
      noteUse(key)
      return key
    },

    bySource: async (source: string): Promise<StoredKey | null> =>
      isSource(source) ? keys.find('github', source) : null,

    /** Whether a body was signed for this source; takes as long when there is no such source. */
    isSigned(key: StoredKey | null, body: Buffer, signature: string | undefined): boolean {
      const expected = createHmac('sha256', sourceSecret(key?.prefix ?? NO_SOURCE))
        .update(body)
        .digest('hex')
      const signed = sameText(`sha256=${expected}`, signature ?? '') && key !== null
      if (signed) noteUse(key)
      return signed
    },

    async publish(key: StoredKey, { inputs, many, idempotencyKey, keyHeader, actorName }: Batch): Promise<Stored[]> {
      if (inputs.length === 0) return []
      const place = (index: number, field: string) => (many ? `${index}.${field}` : field)
      const outside = inputs.findIndex(({ topic }) => !key.topics.includes(topic))
      if (outside >= 0) throw notGranted(place(outside, 'topic'))
      const name = actorName ?? key.source
      const publisher = {
        actor: { kind: 'tool' as const, id: name.toLowerCase(), name },
        source: key.source,
        scope: `key:${key.id}`,
        onBehalfOf: key.ownerId,
        foreignNames: actorName !== undefined,
      }
      const result = await publishActivity.publishTogether(publisher, inputs, idempotencyKey)
      if (result.ok) return result.stored
      if (result.outcome !== 'reused') throw notGranted(place(result.index, 'topic'))
      const own = inputs[result.index]?.idempotencyKey !== undefined
      throw keyReused(own ? place(result.index, 'idempotencyKey') : keyHeader)
    },
  }
}

/** One sentence for a topic that the key is not for, that is gone, or that its owner may no longer publish to. */
const notGranted = (field: string) => new AppError('NOT_ALLOWED', 'This key may not publish to this topic.', { field })

/** Takes as long for a text that differs early as for one that differs late. */
function sameText(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}
