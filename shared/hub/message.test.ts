import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HUB_ADDRESS, isActorAddress, isAddress } from './address.ts'
import { createMessage, isExpired, isFromTheFuture, sharedMessageSchema, traceOf } from './message.ts'
import { parseFrame } from './parse-frame.ts'

const now = 1_800_000_000_000
const whole = createMessage({
  ...{ id: 'm1', from: '@(browser/tab-1)', to: HUB_ADDRESS, type: 'hub:send', timestamp: now, payload: { a: 1 } },
  ...{ pattern: 'ask', ttl: 5_000, metadata: { traceId: 't', spanId: 's', other: 1 } },
})
const frame = (changes: object) => JSON.stringify({ ...whole, ...changes })

describe('[HUB-1] the envelope', () => {
  test('what is printed is read again', () => {
    expect(parseFrame(JSON.stringify(whole))).toEqual({ ok: true, message: whole })
  })

  test('fields that may be left out have their defaults', () => {
    const { id, from, to, type, pattern, timestamp } = whole
    expect(parseFrame(JSON.stringify({ id, from, to, type, pattern, timestamp }))).toMatchObject({
      message: { correlationId: null, metadata: {}, ttl: null, signature: null },
    })
  })

  test.each([
    ['id', ''],
    ['id', 'two words'],
    ['from', 'browser/tab-1'],
    ['to', '@(a/b/c)'],
    ['type', ''],
    ['pattern', 'shout'],
    ['timestamp', 1.5],
    ['ttl', -1],
    ['metadata', []],
  ])('a %s of %j is refused, and the refusal names it', (field, value) => {
    const parsed = parseFrame(frame({ [field]: value }))
    expect(parsed).toMatchObject({ ok: false, problem: expect.stringContaining(field) })
  })

  test('a refusal carries the id when that can be read', () => {
    expect(parseFrame(frame({ ttl: -1 }))).toMatchObject({ ok: false, id: 'm1' })
    expect(parseFrame('{"id":7}')).toMatchObject({ ok: false, id: null })
  })

  test('addresses are places and names; nobody is the hub, a topic or the origin', () => {
    expect(['@(browser/tab-1)', '@(local/x:y.z)'].every(isActorAddress)).toBe(true)
    expect(
      ['@(cloudflare/signal-hub)', '@(topic/a)', '@(hub/everybody)', '@(server/origin)'].some(isActorAddress),
    ).toBe(false)
    expect(['@(a)', '@(a/b', 'a/b', '@(/b)', '@(a/)', '@(ä/b)', `@(a/${'b'.repeat(129)})`].some(isAddress)).toBe(false)
  })

  test('answers keep the trace and nothing else of the metadata', () => {
    expect(traceOf(whole)).toEqual({ traceId: 't', spanId: 's' })
  })
})

describe('[HUB-20] frames that are not messages', () => {
  test.each([
    ['', 'not JSON'],
    ['{', 'not JSON'],
    ['null', 'frame'],
    ['[]', 'frame'],
    ['"x"', 'frame'],
    [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'nested too deeply'],
  ])('%j is refused', (text, problem) => {
    expect(parseFrame(text)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) })
  })

  test.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"a":[{"__proto__":1}]}',
    '{"\\u005f_proto__":{}}',
    '{"constructor":{"prototype":{"x":1}}}',
  ])('%s reaches into prototypes and is refused', (payload) => {
    const text = JSON.stringify({ ...whole, payload: 'HERE' }).replace('"HERE"', payload)
    expect(parseFrame(text)).toMatchObject({ ok: false, problem: 'a name in it is not allowed', id: 'm1' })
    expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
  })

  test('such names as values, or a constructor that is a word, are fine', () => {
    expect(parseFrame(frame({ payload: { name: '__proto__', constructor: 'Brunel' } }))).toMatchObject({ ok: true })
  })

  test('no text at all makes it throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.anything().map((value) => JSON.stringify(value) ?? ''),
        ),
        (text) => {
          expect(typeof parseFrame(text).ok).toBe('boolean')
        },
      ),
    )
    fc.assert(
      fc.property(fc.record({ id: fc.anything(), from: fc.anything(), ttl: fc.anything() }), (changes) => {
        expect(sharedMessageSchema.safeParse({ ...whole, ...changes }).success).toBeTypeOf('boolean')
      }),
    )
  })
})

describe('[HUB-7] time to live', () => {
  test('counted from the timestamp; null never ends', () => {
    expect(isExpired(whole, now + 5_000)).toBe(false)
    expect(isExpired(whole, now + 5_001)).toBe(true)
    expect(isExpired({ timestamp: 0, ttl: null }, now)).toBe(false)
  })

  test('clocks may differ by thirty seconds', () => {
    expect(isFromTheFuture({ timestamp: now + 30_000, ttl: null }, now)).toBe(false)
    expect(isFromTheFuture({ timestamp: now + 30_001, ttl: null }, now)).toBe(true)
  })
})
