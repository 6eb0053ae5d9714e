import { createParser, type EventSourceMessage } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { controlEvent, dataEvent } from './sse.ts'

function parse(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = []
  createParser({ onEvent: (event) => events.push(event) }).feed(text)
  return events
}

describe('[STR-1] SSE frames', () => {
  test('no text can forge an event: it arrives as one, with its lines', () => {
    const nasty = fc
      .array(fc.constantFrom('a', ' ', '\n', '\r', '\r\n', 'event: control', 'data: x', 'é', ':'))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(nasty, (text) => {
        const events = parse(dataEvent('text/plain', new TextEncoder().encode(text)))
        expect(events).toEqual([{ event: 'data', data: text.replaceAll(/\r\n|\r/g, '\n'), id: undefined }])
      }),
    )
  })

  test('bytes arrive as base64 and are the same again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
        const [event] = parse(dataEvent('application/octet-stream', bytes))
        expect(new Uint8Array(Buffer.from(event?.data ?? '', 'base64'))).toEqual(bytes)
      }),
    )
  })

  test('JSON messages arrive as one array', () => {
    const [event] = parse(dataEvent('application/json', new TextEncoder().encode('{"a":\n1},2')))
    expect(JSON.parse(event?.data ?? '')).toEqual([{ a: 1 }, 2])
  })

  test('the end has no cursor, everything else has', () => {
    const control = (closed: boolean, upToDate: boolean) =>
      JSON.parse(parse(controlEvent({ next: 1, cursor: '7', upToDate, closed }))[0]?.data ?? '')
    expect(control(true, true)).toEqual({ streamNextOffset: expect.any(String), streamClosed: true, upToDate: true })
    expect(control(false, true)).toEqual({ streamNextOffset: expect.any(String), streamCursor: '7', upToDate: true })
    expect(control(false, false)).toEqual({ streamNextOffset: expect.any(String), streamCursor: '7' })
  })
})
