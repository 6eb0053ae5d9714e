import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MENTIONS_MAX, METADATA_MAX_BYTES, mentionedHandles, publishInput } from './activity.ts'

const minimal = { topic: 'project/apollo', verb: 'posted' }
const fieldsOf = (input: unknown) => publishInput.safeParse(input).error?.issues.map(({ path }) => path.join('.')) ?? []

describe('what may be published', () => {
  test('[FEED-1] the shape of an activity: the rest is optional and has a plain value', () => {
    expect(publishInput.parse(minimal)).toEqual({ ...minimal, summary: '', metadata: {} })
    const object = { type: 'issue', id: '42', title: 'Late beats', url: 'https://example.com/42' }
    expect(publishInput.parse({ ...minimal, object, summary: '  hi  ' })).toMatchObject({ object, summary: 'hi' })
  })

  test.each([
    ['topic', { ...minimal, topic: 'Apollo' }],
    ['topic', { ...minimal, topic: 'project/../etc' }],
    ['verb', { ...minimal, verb: 'DROP TABLE' }],
    ['summary', { ...minimal, summary: 'x'.repeat(4_001) }],
    ['summary', { ...minimal, summary: 'a\u0000b' }],
    ['summary', { ...minimal, summary: 'a\ud800b' }],
    ['metadata', { ...minimal, metadata: { blob: 'x'.repeat(METADATA_MAX_BYTES) } }],
    ['metadata', { ...minimal, metadata: { deep: [{ key: 'a\u0000' }] } }],
    ['object.url', { ...minimal, object: { type: 't', id: '1', url: 'javascript:alert(1)' } }],
    ['object.id', { ...minimal, object: { type: 't' } }],
    ['object.url', { ...minimal, object: { type: 't', id: '1', url: 'https://example.com/\u0000' } }],
    ['occurredAt', { ...minimal, occurredAt: 'yesterday' }],
    ['occurredAt', { ...minimal, occurredAt: '0000-01-01T00:00:00Z' }],
    ['occurredAt', { ...minimal, occurredAt: '9999-12-31T23:59:59-10:00' }],
    ['idempotencyKey', { ...minimal, idempotencyKey: 'two words' }],
    ['', { ...minimal, actor: 'somebody else' }],
  ])('[FEED-9] a bad %s is named', (field, input) => {
    expect(fieldsOf(input)).toContain(field)
  })

  test('[FEED-1] metadata is measured in bytes of JSON, not in characters', () => {
    const fits = 'x'.repeat(METADATA_MAX_BYTES - '{"t":""}'.length)
    expect(fieldsOf({ ...minimal, metadata: { t: fits } })).toEqual([])
    expect(fieldsOf({ ...minimal, metadata: { t: `${fits.slice(1)}ä` } })).toEqual(['metadata'])
  })
})

describe('mentions', () => {
  test.each([
    ['@ada and @Ada, thanks @ben!', ['ada', 'ben']],
    ['(@ada) "@ben": @eve-2, @under_score.', ['ada', 'ben', 'eve-2', 'under_score']],
    ['mail ada@halyard.example or see https://x.example/@ben', []],
    ['@a is too short, @1st starts wrong, @@ada is a slip', []],
  ])('[FEED-1] in %j', (text, expected) => {
    expect(mentionedHandles(text)).toEqual(expected)
  })

  test('[FEED-1] one text names at most so many people', () => {
    const crowd = Array.from({ length: 200 }, (_, i) => `@person${i}`).join(' ')
    expect(mentionedHandles(crowd)).toHaveLength(MENTIONS_MAX)
  })

  test('[FEED-1] any text gives handles that could exist, each once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (before, after) => {
        const found = mentionedHandles(`${before} @ada ${after}`)
        expect(found).toContain('ada')
        expect(new Set(found).size).toBe(found.length)
        for (const handle of found) expect(handle).toMatch(/^[a-z][a-z0-9_-]{1,29}$/)
      }),
    )
  })
})
