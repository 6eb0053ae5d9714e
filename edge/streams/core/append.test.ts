import { describe, expect, test } from 'vitest'
import { type AppendRequest, type AppendView, decideAppend } from './append.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const open: AppendView = {
  contentType: 'text/plain',
  tail: 12,
  closed: false,
  closedBy: null,
  writerSeq: null,
  producer: null,
}
const request = (change: Partial<AppendRequest> = {}): AppendRequest => ({
  contentType: 'text/plain',
  body: bytes('hello'),
  close: false,
  stamp: null,
  writerSeq: null,
  ...change,
})
const nothing = new Uint8Array()

describe('[STR-1] appending', () => {
  test('a body is appended as one message, of JSON as its elements', () => {
    expect(decideAppend(open, request())).toEqual({ outcome: 'append', messages: [bytes('hello')], close: false })
    const json = { contentType: 'application/json' }
    expect(decideAppend({ ...open, ...json }, request({ ...json, body: bytes('[1, [2]]') }))).toEqual({
      outcome: 'append',
      messages: [bytes('1'), bytes('[2]')],
      close: false,
    })
  })

  test('closed is said before anything else, with the end', () => {
    expect(decideAppend({ ...open, closed: true }, request({ contentType: 'image/png' }))).toMatchObject({
      status: 409,
      headers: { 'Stream-Closed': 'true', 'Stream-Next-Offset': expect.stringMatching(/12$/) },
    })
  })

  test('closing twice is fine, a body on a closed stream is not', () => {
    const closed = { ...open, closed: true }
    expect(decideAppend(closed, request({ close: true, body: nothing }))).toMatchObject({ outcome: 'repeated' })
    expect(decideAppend(closed, request({ close: true }))).toMatchObject({ status: 409 })
  })

  test('the request that closed the stream may come again, another may not', () => {
    const stamp = { id: 'p', epoch: 1, seq: 4 }
    const closed = { ...open, closed: true, closedBy: stamp, producer: { epoch: 1, seq: 4 } }
    expect(decideAppend(closed, request({ stamp, close: true }))).toEqual({ outcome: 'repeated', producerSeq: 4 })
    expect(decideAppend(closed, request({ stamp: { ...stamp, seq: 5 } }))).toMatchObject({ status: 409 })
    expect(decideAppend(closed, request({ stamp: { ...stamp, epoch: 0 } }))).toMatchObject({ status: 403 })
  })

  test('a repeated request is recognised before its sequence is judged', () => {
    const view = { ...open, writerSeq: 'b', producer: { epoch: 0, seq: 3 } }
    const again = request({ stamp: { id: 'p', epoch: 0, seq: 3 }, writerSeq: 'b' })
    expect(decideAppend(view, again)).toEqual({ outcome: 'repeated', producerSeq: 3 })
  })

  test('the writer sequence grows, letter by letter', () => {
    expect(decideAppend({ ...open, writerSeq: '2' }, request({ writerSeq: '10' }))).toMatchObject({ status: 409 })
    expect(decideAppend({ ...open, writerSeq: '09' }, request({ writerSeq: '10' }))).toMatchObject({
      outcome: 'append',
    })
    expect(decideAppend({ ...open, writerSeq: 'a' }, request({ writerSeq: 'a' }))).toMatchObject({ status: 409 })
  })

  test('[SUB-2] what must come after a certain one is taken only there; otherwise the stream says where it is', () => {
    const at = (writerSeq: string | null, afterSeq: string, next = '07') =>
      decideAppend({ ...open, writerSeq }, request({ writerSeq: next, afterSeq }))
    expect(at('06', '06')).toMatchObject({ outcome: 'append' })
    expect(at(null, 'none')).toMatchObject({ outcome: 'append' })
    // A hole, a stream that was emptied, and a repeat.
    expect(at('04', '06')).toMatchObject({ status: 412, headers: { 'Stream-Seq': '04' } })
    expect(at(null, '06')).toMatchObject({ status: 412, headers: { 'Stream-Seq': 'none' } })
    expect(at('07', '06')).toMatchObject({ status: 412, headers: { 'Stream-Seq': '07' } })
  })
})

test.each([
  [409, { contentType: 'text/html' }, {}],
  [400, { contentType: 'application/json', body: bytes('{') }, { contentType: 'application/json' }],
  [400, { contentType: 'application/json', body: bytes('[]') }, { contentType: 'application/json' }],
  [400, { contentType: 'application/json', body: new Uint8Array([0xff]) }, { contentType: 'application/json' }],
] as const)('[STR-6] %i for %j', (status, change, view) => {
  expect(decideAppend({ ...open, ...view }, request(change))).toMatchObject({ status })
})
