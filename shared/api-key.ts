// Keys with which tools publish on behalf of the person who made them.
import { z } from 'zod'
import { UNFIT_FOR_NAMES } from './person.ts'
import { topicName } from './topic.ts'

export const KEY_TOPICS_MAX = 20
export const KEYS_PER_PERSON_MAX = 50
/** Activities in one request. */
export const INGEST_MAX = 500

export const keyKind = z.enum(['bearer', 'github'])
export type KeyKind = z.infer<typeof keyKind>

const keyName = z
  .string()
  .trim()
  .min(1, 'Give it a name.')
  .max(60, 'At most 60 characters.')
  .refine((name) => !UNFIT_FOR_NAMES.test(name), 'Contains characters that a name cannot have.')

/** A GitHub source has exactly one topic: GitHub cannot say which one it means. */
export const createKeyInput = z
  .strictObject({
    kind: keyKind.default('bearer'),
    name: keyName,
    topics: z
      .array(topicName)
      .min(1, 'Choose a topic.')
      .max(KEY_TOPICS_MAX, `At most ${KEY_TOPICS_MAX} topics.`)
      .transform((topics) => [...new Set(topics)]),
  })
  .refine(({ kind, topics }) => kind !== 'github' || topics.length === 1, {
    path: ['topics'],
    message: 'A GitHub source has one topic.',
  })
export const revokeKeyInput = z.strictObject({ id: z.int().positive() })

export type CreateKeyInput = z.infer<typeof createKeyInput>

/** A key as its owner sees it; the secret is shown once, when it is made. */
export type KeyView = {
  id: number
  kind: KeyKind
  name: string
  prefix: string
  topics: string[]
  createdAt: string
  lastUsedAt: string | null
}
