// An activity is actor · verb · object · target, with its place in its topic. The schemas here are the boundary: what
// passes them is what the rest of the system may rely on.
import { z } from 'zod'
import { SUMMARY_MAX_CHARS } from './limits.ts'
import type { Person } from './person.ts'
import { topicName, type Visibility } from './topic.ts'

export const METADATA_MAX_BYTES = 16_384
/** Far beyond what a person writes by hand; keeps one publish from notifying a whole company. */
export const MENTIONS_MAX = 50

const line = (max: number) => z.string().trim().min(1, 'Must not be empty.').max(max, `At most ${max} characters.`)

const NUL = String.fromCharCode(0)
const ISOLATED_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/
/** Postgres stores neither; both only come from broken or hostile clients. */
const storable = (text: string) => !text.includes(NUL) && !ISOLATED_SURROGATE.test(text)
const STORABLE_MESSAGE = 'Contains characters that cannot be stored.'

export const text = (max: number) => line(max).refine(storable, STORABLE_MESSAGE)

export const verb = z
  .string()
  .regex(/^[a-z][a-z0-9_.-]{0,39}$/, 'A verb is up to 40 lower-case letters, digits, dot, dash or underscore.')

/** Only web addresses: a `javascript:` link must never reach a page. */
const webUrl = z
  .string()
  .max(2_000, 'At most 2000 characters.')
  .refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), 'Must be an http or https address.')
  .refine(storable, STORABLE_MESSAGE)

export const thing = z.strictObject({
  type: text(40),
  id: text(200),
  title: text(300).optional(),
  url: webUrl.optional(),
})

export const metadata = z
  .record(z.string().max(200), z.json())
  .refine(
    (value) => new TextEncoder().encode(JSON.stringify(value)).length <= METADATA_MAX_BYTES,
    `At most ${METADATA_MAX_BYTES} bytes of JSON.`,
  )
  .refine((value) => storableJson(value), STORABLE_MESSAGE)

function storableJson(value: unknown): boolean {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.every(storableJson)
  if (value !== null && typeof value === 'object')
    return Object.entries(value).every(([key, inner]) => storable(key) && storableJson(inner))
  return true
}

/** Postgres has neither a year 0 nor one beyond 9999, which an offset can reach. */
const EARLIEST = Date.UTC(1900, 0)
const LATEST = Date.UTC(2200, 0)

export const moment = z.iso.datetime({ offset: true }).refine((value) => {
  const ms = Date.parse(value)
  return ms >= EARLIEST && ms < LATEST
}, 'Must be between 1900 and 2200.')

export const idempotencyKey = z
  .string()
  .min(1)
  .max(200, 'At most 200 characters.')
  .regex(/^[\x21-\x7e]+$/, 'Use printable ASCII without spaces.')

export const publishInput = z.strictObject({
  topic: topicName,
  verb,
  object: thing.optional(),
  target: thing.optional(),
  summary: z
    .string()
    .trim()
    .max(SUMMARY_MAX_CHARS, `At most ${SUMMARY_MAX_CHARS} characters.`)
    .refine(storable, STORABLE_MESSAGE)
    .default(''),
  metadata: metadata.default({}),
  groupKey: text(200).optional(),
  occurredAt: moment.optional(),
  idempotencyKey: idempotencyKey.optional(),
})

export type Thing = z.infer<typeof thing>
export type PublishInput = z.infer<typeof publishInput>

/** Only what people may change: the words. Mentions follow from them. */
export const editInput = z.strictObject({ id: z.int().positive(), summary: text(SUMMARY_MAX_CHARS) })

export type Actor =
  | { kind: 'person'; id: string; handle: string; name: string }
  | { kind: 'tool'; id: string; name: string }

/** An activity as it is stored, logged and shown; the same JSON on every path. */
export type Activity = {
  id: number
  topic: { id: number; name: string; visibility: Visibility }
  /** Place among all events of the topic: 1, 2, 3 … with no holes. */
  seq: number
  /** Place among the topic's activities: 1, 2, 3 … with no holes. */
  no: number
  actor: Actor
  verb: string
  object: Thing | null
  target: Thing | null
  summary: string
  metadata: Record<string, unknown>
  groupKey: string | null
  /** Handles of the people mentioned who may see the topic. */
  mentions: string[]
  publishedAt: string
  occurredAt: string | null
  source: string
  /** Null while it is as it was published. */
  edited: Edited | null
}

/** `version` grows by one with every change; `by` only when it was somebody else than its author. */
export type Edited = { version: number; at: string; by: Person | null }

/** Handles written as `@handle` in a text, each once, in order. Not inside e-mail addresses or longer words. */
export function mentionedHandles(summary: string): string[] {
  const found = new Set<string>()
  for (const match of summary.matchAll(/(?<![\w@/.-])@([a-z][a-z0-9_-]{1,29})(?![\w@-])/gi)) {
    found.add(match[1]!.toLowerCase())
    if (found.size === MENTIONS_MAX) break
  }
  return [...found]
}
