import { describe, expect, it } from 'vitest'
import { publishInput } from '#shared/activity.ts'
import { cloudEventMode, readCloudEvents } from './cloud-events.ts'

const EVENT = {
  specversion: '1.0',
  id: 'A234-1234',
  source: 'https://ci.example/pipelines',
  type: 'com.example.deploy.finished.v2',
}
const STRUCTURED = { 'content-type': 'application/cloudevents+json; charset=utf-8' }
const BATCH = { 'content-type': 'application/cloudevents-batch+json' }

const read = (headers: Record<string, string>, body: unknown, onlyTopic: string | null = 'project/apollo') => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const result = readCloudEvents(cloudEventMode(headers)!, headers, () => text, onlyTopic)
  return result.ok ? result.value.inputs : [result.code, result.field]
}
const only = (event: object, onlyTopic?: string | null) => {
  const [input] = read(STRUCTURED, event, onlyTopic)
  // Whatever comes out could have been sent as an activity; only the key has a form of its own.
  const { idempotencyKey: _, ...rest } = input as Record<string, unknown>
  expect(publishInput.parse(rest)).toEqual(rest)
  return input
}

describe('CloudEvents', () => {
  it.each([
    [{ 'content-type': 'application/cloudevents+json' }, 'structured'],
    [{ 'content-type': 'Application/CloudEvents-Batch+JSON; charset=UTF-8' }, 'batch'],
    [{ 'content-type': 'application/json', 'ce-specversion': '1.0' }, 'binary'],
    [{ 'content-type': 'application/json' }, null],
    [{}, null],
  ])('[FEED-10] %j is %s', (headers, mode) => expect(cloudEventMode(headers)).toBe(mode))

  it('[FEED-10] the envelope alone makes an activity', () => {
    expect(only({ ...EVENT, subject: 'apollo 2.4', time: '2026-04-05T17:31:00Z' })).toEqual({
      topic: 'project/apollo',
      verb: 'finished',
      object: { type: 'deploy', id: 'apollo 2.4', title: 'apollo 2.4' },
      summary: '',
      metadata: { event: { id: 'A234-1234', source: 'https://ci.example/pipelines', type: EVENT.type } },
      occurredAt: '2026-04-05T17:31:00Z',
      idempotencyKey: 'ce https://ci.example/pipelines A234-1234',
    })
  })

  it('[FEED-10] data gives our fields where they fit, and stays as metadata where not', () => {
    const data = {
      verb: 'deployed',
      object: { type: 'release', id: '2.4', url: 'https://example.com/2.4' },
      target: { type: 'environment', id: 'production' },
      summary: 'Out.',
      groupKey: 'deploys',
      seconds: 42,
    }
    expect(only({ ...EVENT, subject: 'ignored', data })).toMatchObject({
      verb: 'deployed',
      object: data.object,
      target: data.target,
      summary: 'Out.',
      groupKey: 'deploys',
      metadata: { seconds: 42, event: { id: EVENT.id } },
    })
    const odd = { verb: 'NOT A VERB', object: { url: 'javascript:alert(1)' }, summary: { html: 1 }, topic: 7 }
    expect(only({ ...EVENT, data: odd })).toEqual(only(EVENT))
    expect(only({ ...EVENT, data: { big: 'x'.repeat(20_000), summary: 'kept' } })).toMatchObject({
      summary: 'kept',
      metadata: { event: { id: EVENT.id } },
    })
    expect(only({ ...EVENT, data: 'Plain words.' })).toMatchObject({ summary: 'Plain words.' })
    expect(only({ ...EVENT, data: `${'😀'.repeat(2_500)}` })).toMatchObject({
      summary: expect.stringMatching(/^(😀)+…$/u),
    })
    expect(only({ ...EVENT, data: [1, 2] })).toEqual(only(EVENT))
    expect(only({ ...EVENT, data: null, subject: null, time: null })).toEqual(only(EVENT))
  })

  it.each([
    ['com.example.object.deleted.v2', 'deleted', 'object'],
    ['Microsoft.Storage.BlobCreated', 'blob-created', 'storage'],
    ['ping', 'ping', 'event'],
    ['a/b:c', 'c', 'b'],
    ['...', 'sent', 'event'],
    ['日本', 'sent', 'event'],
    [`x.${'y'.repeat(100)}`, 'y'.repeat(40), 'x'],
  ])('[FEED-10] the type %s says %s of a %s', (type, verb, kind) => {
    expect(only({ ...EVENT, type, subject: 's' })).toMatchObject({ verb, object: { type: kind } })
  })

  it('[FEED-10] a subject that is an address becomes a link, a long one is cut', () => {
    expect(only({ ...EVENT, subject: 'https://example.com/42' })).toMatchObject({
      object: { id: 'https://example.com/42', url: 'https://example.com/42' },
    })
    expect(only({ ...EVENT, subject: 'javascript:alert(1)' })).toMatchObject({
      object: { id: 'javascript:alert(1)', title: 'javascript:alert(1)' },
    })
    expect(only({ ...EVENT, subject: 'x'.repeat(900) })).toMatchObject({ object: { id: `${'x'.repeat(199)}…` } })
  })

  it('[FEED-10] the topic is said by the event, then by its data, then by the key', () => {
    const both = { ...EVENT, topic: 'project/one', data: { topic: 'project/two' } }
    expect(only(both)).toMatchObject({ topic: 'project/one' })
    expect(only({ ...both, topic: undefined })).toMatchObject({ topic: 'project/two' })
    expect(read(STRUCTURED, EVENT, null)).toEqual(['INVALID_INPUT', 'topic'])
  })

  it('[FEED-10] a batch keeps its order, may be empty, and names the place of a problem', () => {
    const many = [EVENT, { ...EVENT, id: 'second' }]
    expect(read(BATCH, many)).toMatchObject([{ verb: 'finished' }, { metadata: { event: { id: 'second' } } }])
    expect(read(BATCH, [])).toEqual([])
    expect(read(BATCH, [EVENT, { ...EVENT, source: undefined }])).toEqual(['INVALID_INPUT', '1.source'])
    expect(read(BATCH, [EVENT, 7])).toEqual(['INVALID_INPUT', '1.body'])
    expect(read(BATCH, EVENT)).toEqual(['INVALID_INPUT', 'body'])
    expect(read(BATCH, Array(501).fill(EVENT))).toEqual(['INVALID_INPUT', 'body'])
  })

  it.each([
    ['specversion', '0.3'],
    ['specversion', undefined],
    ['id', ''],
    ['id', 'a\u0000b'],
    ['source', 'with space'],
    ['type', 7],
    ['time', 'yesterday'],
    ['subject', ''],
    ['topic', 'No Topic'],
  ])('[FEED-9] [FEED-10] a bad %s (%j) is named, in a header by its name', (field, value) => {
    expect(read(STRUCTURED, { ...EVENT, [field]: value })).toEqual(['INVALID_INPUT', field])
    if (typeof value !== 'string' || value.includes('\u0000')) return
    const headers = binary({ [field]: value })
    expect(read(headers, '')).toEqual(['INVALID_INPUT', `ce-${field}`])
  })

  it('[FEED-10] binary mode: the envelope in headers, the body as data', () => {
    const json = { ...binary({ subject: 'caf%C3%A9' }), 'content-type': 'application/json' }
    expect(read(json, { summary: 'Out.', seconds: 3 })).toEqual(
      read(STRUCTURED, { ...EVENT, subject: 'café', data: { summary: 'Out.', seconds: 3 } }),
    )
    const words = { ...binary({ subject: '"a \\"quoted\\" name"' }), 'content-type': 'text/plain; charset=utf-8' }
    expect(read(words, 'Plain words.')).toEqual(
      read(STRUCTURED, { ...EVENT, subject: 'a "quoted" name', data: 'Plain words.' }),
    )
    expect(read({ ...binary({}), 'content-type': 'image/png' }, 'bytes')).toEqual(read(STRUCTURED, EVENT))
    expect(read(binary({}), '')).toEqual(read(STRUCTURED, EVENT))
    expect(read({ ...json, 'content-type': 'application/json' }, '{')).toEqual(['INVALID_INPUT', 'body'])
    expect(read(binary({ subject: '%E0%A4' }), '')).toEqual(['INVALID_INPUT', 'ce-subject'])
  })
})

const binary = (over: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries({ ...EVENT, ...over }).map(([name, value]) => [`ce-${name}`, value]))
