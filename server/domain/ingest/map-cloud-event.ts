// One CloudEvent as an activity. The envelope says most of it: type → verb, subject → object, time → occurredAt, source
// and id → idempotency key. Of the data we take what fits our fields and keep the rest as metadata; data is the sender's
// own, so what does not fit is no error.
import { z } from 'zod'
import { metadata, moment, type PublishInput, type Thing, text, thing, verb } from '#shared/activity.ts'
import { SUMMARY_MAX_CHARS } from '#shared/limits.ts'
import { topicName } from '#shared/topic.ts'
import { cut } from './cut.ts'

/** In JSON, null means that an attribute is not there. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)

/** Extensions that we do not know are allowed and left out. */
export const cloudEvent = z.object({
  specversion: z.literal('1.0', 'Only CloudEvents 1.0.'),
  id: text(200),
  source: z
    .string()
    .max(1_000, 'At most 1000 characters.')
    .regex(/^[\x21-\x7e]+$/, 'Must be an address without spaces.'),
  type: text(200),
  subject: maybe(text(1_000)),
  time: maybe(moment),
  topic: maybe(topicName),
  data: z.unknown().optional(),
})

export type CloudEvent = z.infer<typeof cloudEvent>

const SUBJECT_ID_MAX = 200
const SUBJECT_TITLE_MAX = 300

/** Null when neither the event nor its data says which topic, and there is no only one. */
export function mapCloudEvent(event: CloudEvent, onlyTopic: string | null): PublishInput | null {
  const data = isObject(event.data) ? event.data : {}
  const topic = event.topic ?? fitting(topicName, data.topic) ?? onlyTopic
  if (topic === null) return null
  const words = wordsOf(event.type)
  const object = fitting(thing, data.object) ?? subjectThing(event.subject, words)
  const target = fitting(thing, data.target)
  const groupKey = fitting(text(200), data.groupKey)
  return {
    topic,
    verb: fitting(verb, data.verb) ?? words.verb,
    ...(object ? { object } : {}),
    ...(target ? { target } : {}),
    summary: summaryOf(event.data),
    metadata: metadataOf(event, data),
    ...(groupKey ? { groupKey } : {}),
    ...(event.time ? { occurredAt: event.time } : {}),
    // A space is in no key that somebody chooses, and in no source: events of two sources never meet.
    idempotencyKey: `ce ${event.source} ${event.id}`,
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fitting<T>(schema: z.ZodType<T>, value: unknown): T | undefined {
  if (value === undefined) return undefined
  const parsed = schema.safeParse(value)
  return parsed.success ? parsed.data : undefined
}

/** `com.example.deploy.finished.v2` happened as `finished` to a `deploy`. */
function wordsOf(type: string): { verb: string; kind: string } {
  const parts = type
    .split(/[./:]+/)
    .map(plainWord)
    .filter((part) => part !== '' && !/^v\d+$/.test(part))
  return { verb: parts.at(-1)?.slice(0, 40) ?? 'sent', kind: parts.at(-2)?.slice(0, 40) ?? 'event' }
}

const plainWord = (part: string): string =>
  part
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')

function subjectThing(subject: string | undefined, { kind }: { kind: string }): Thing | undefined {
  if (subject === undefined) return undefined
  const url = fitting(thing.shape.url.unwrap(), subject)
  return {
    type: kind,
    id: cut(subject, SUBJECT_ID_MAX),
    title: cut(subject, SUBJECT_TITLE_MAX),
    ...(url ? { url } : {}),
  }
}

/** Text as data is the summary itself. */
function summaryOf(data: unknown): string {
  const said = typeof data === 'string' ? data : isObject(data) ? data.summary : undefined
  if (typeof said !== 'string' || said.trim() === '') return ''
  return fitting(text(SUMMARY_MAX_CHARS), cut(said, SUMMARY_MAX_CHARS)) ?? ''
}

const TAKEN = new Set(['topic', 'verb', 'object', 'target', 'summary', 'groupKey', 'metadata'])

function metadataOf({ id, source, type }: CloudEvent, data: Record<string, unknown>): PublishInput['metadata'] {
  const event = { id, source, type }
  const rest = Object.fromEntries(Object.entries(data).filter(([key]) => !TAKEN.has(key)))
  const given = isObject(data.metadata) ? data.metadata : {}
  return fitting(metadata, { ...rest, ...given, event }) ?? fitting(metadata, { ...given, event }) ?? { event }
}
