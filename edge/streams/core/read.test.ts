import { expect, test } from 'vitest'
import { entityTag, matchesTag, type ReadResult, readBody, readHeaders } from './read.ts'

const result: ReadResult = {
  contentType: 'application/json',
  incarnation: 'i',
  from: 0,
  next: 5,
  tail: 9,
  body: new TextEncoder().encode('1,2'),
  closed: false,
  isPublic: false,
}

test('[STR-1] an answer says whether there is more, and the end only at the end', () => {
  expect(readHeaders({ ...result, closed: true }, 'catch-up', null)).not.toHaveProperty('Stream-Closed')
  expect(readHeaders(result, 'catch-up', null)).not.toHaveProperty('Stream-Up-To-Date')
  const last = { ...result, next: 9, closed: true }
  expect(readHeaders(last, 'long-poll', '5')).toMatchObject({ 'Stream-Closed': 'true', 'Stream-Up-To-Date': 'true' })
  expect(readHeaders(last, 'long-poll', '5')).not.toHaveProperty('Stream-Cursor')
  expect(readHeaders({ ...result, next: 9 }, 'long-poll', '5')).toMatchObject({ 'Stream-Cursor': '5' })
})

test('[STR-5] what may be kept is private unless the stream was made public', () => {
  const control = (change: Partial<ReadResult>, mode: 'catch-up' | 'now' = 'catch-up') =>
    readHeaders({ ...result, ...change }, mode, null)['Cache-Control']
  expect(control({})).toMatch(/^private, max-age=60/)
  expect(control({ isPublic: true })).toMatch(/^public, max-age=60/)
  expect(control({ body: new Uint8Array() })).toBe('no-cache')
  expect(control({}, 'now')).toBe('no-store')
})

test('[STR-1] the tag changes with the place, the stream and the end', () => {
  const closed = { ...result, next: 9, closed: true }
  const tags = [result, { ...result, from: 1 }, { ...result, incarnation: 'j' }, { ...result, next: 9 }, closed]
  expect(new Set(tags.map(entityTag)).size).toBe(tags.length)
  expect(matchesTag(`"x", W/${entityTag(result)}`, entityTag(result))).toBe(true)
  expect(matchesTag('"x"', entityTag(result))).toBe(false)
  expect(matchesTag(null, entityTag(result))).toBe(false)
})

test('[STR-1] JSON is read as a list', () => {
  expect(new TextDecoder().decode(readBody(result))).toBe('[1,2]')
})
