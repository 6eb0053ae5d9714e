// CloudEvents 1.0 over HTTP as activities: structured (the whole event is the body, one or a batch) and binary (the
// envelope is in `ce-` headers, the body is the data). Problems are named as the sender wrote them.
import { firstProblem } from '#shared/first-problem.ts'
import { err, ok, type Result } from '#shared/result.ts'
import { cloudEvent, mapCloudEvent } from './map-cloud-event.ts'
import { type Reading, readJson, readList } from './read-activities.ts'

const STRUCTURED = 'application/cloudevents+json'
const BATCH = 'application/cloudevents-batch+json'
const WITHOUT_TOPIC = 'Say which topic, or use a key that has only one.'

type Headers = Record<string, string | string[] | undefined>
type Mode = 'structured' | 'batch' | 'binary'

/** Null when it is no CloudEvent. */
export function cloudEventMode(headers: Headers): Mode | null {
  const type = mediaType(headers)
  if (type === STRUCTURED) return 'structured'
  if (type === BATCH) return 'batch'
  return headers['ce-specversion'] === undefined ? null : 'binary'
}

/** `onlyTopic`: where events go that do not say it themselves. `body` is only asked for where it must be text. */
export function readCloudEvents(
  mode: Mode,
  headers: Headers,
  body: () => string,
  onlyTopic: string | null,
): Result<Reading> {
  if (mode === 'binary') return one(binaryEvent(headers, body), onlyTopic, (field) => HEADER_OF[field] ?? field)
  const json = readJson(body())
  if (!json.ok) return json
  if (mode === 'structured') return one(ok(json.value), onlyTopic, (field) => field)
  // A batch of none is allowed.
  if (Array.isArray(json.value) && json.value.length === 0) return ok({ inputs: [], many: true })
  const list = readList(json.value)
  if (!list.ok) return list
  const inputs = []
  for (const [place, event] of list.value.entries()) {
    const read = one(ok(event), onlyTopic, (field) => `${place}.${field}`)
    if (!read.ok) return read
    inputs.push(...read.value.inputs)
  }
  return ok({ inputs, many: true })
}

function one(event: Result<unknown>, onlyTopic: string | null, nameOf: (field: string) => string): Result<Reading> {
  if (!event.ok) return event
  const parsed = cloudEvent.safeParse(event.value)
  if (!parsed.success) {
    const { message, field } = firstProblem(parsed.error, 'body')
    return err('INVALID_INPUT', message, nameOf(field))
  }
  const input = mapCloudEvent(parsed.data, onlyTopic)
  return input ? ok({ inputs: [input], many: false }) : err('INVALID_INPUT', WITHOUT_TOPIC, nameOf('topic'))
}

const ATTRIBUTES = ['specversion', 'id', 'source', 'type', 'subject', 'time', 'topic'] as const
const HEADER_OF: Record<string, string> = Object.fromEntries(ATTRIBUTES.map((name) => [name, `ce-${name}`]))

function binaryEvent(headers: Headers, body: () => string): Result<unknown> {
  const event: Record<string, unknown> = {}
  for (const name of ATTRIBUTES) {
    const value = headers[`ce-${name}`]
    if (typeof value !== 'string') continue
    const read = headerText(value)
    if (read === null) return err('INVALID_INPUT', 'Not a valid header value.', `ce-${name}`)
    event[name] = read
  }
  const type = mediaType(headers)
  const isJson = type === 'application/json' || type.endsWith('+json')
  // Other kinds of data are nothing that a feed could show.
  if (!isJson && !type.startsWith('text/')) return ok(event)
  const text = body()
  if (text.trim() === '') return ok(event)
  if (!isJson) return ok({ ...event, data: text })
  const json = readJson(text)
  return json.ok ? ok({ ...event, data: json.value }) : json
}

/** Header values may stand in quotation marks, and have everything beyond ASCII as percent-encoded UTF-8. */
function headerText(value: string): string | null {
  const bare = /^".*"$/s.test(value) ? value.slice(1, -1).replace(/\\(.)/gs, '$1') : value
  try {
    return decodeURIComponent(bare)
  } catch {
    return null
  }
}

function mediaType(headers: Headers): string {
  const type = headers['content-type']
  return typeof type === 'string' ? type.split(';')[0]!.trim().toLowerCase() : ''
}
