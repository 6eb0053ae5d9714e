import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutIntoChunks } from './chunks.ts'
import { collectPage, joinPages, type Piece } from './page.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function stored(messages: Uint8Array[], chunkBytes: number): { pieces: Piece[]; tail: number } {
  const pieces: Piece[] = []
  let tail = 0
  for (const data of messages) {
    const message = tail
    for (const chunk of cutIntoChunks(data, chunkBytes)) {
      pieces.push({ position: tail, message, data: chunk })
      tail += chunk.length
    }
  }
  return { pieces, tail }
}

describe('[STR-3] pages', () => {
  test('pages of a byte stream, one after the other, are the stream', () => {
    const message = fc.uint8Array({ minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(fc.array(message), fc.integer({ min: 1, max: 40 }), (messages, maxBytes) => {
        const { pieces, tail } = stored(messages, 8)
        const parts: Uint8Array[] = []
        let from = 0
        while (from < tail) {
          const page = collectPage(pieces, { from, upTo: tail, maxBytes, json: false })
          expect(page.next).toBe(from + page.body.length)
          parts.push(page.body)
          from = page.next
        }
        expect(Buffer.concat(parts)).toEqual(Buffer.concat(messages))
      }),
    )
  })

  test('pages of JSON hold whole messages, all of them once', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 30 })), fc.integer({ min: 1, max: 40 }), (values, maxBytes) => {
        const { pieces, tail } = stored(
          values.map((value) => encode(JSON.stringify(value))),
          8,
        )
        const read: string[] = []
        let from = 0
        while (from < tail) {
          const page = collectPage(pieces, { from, upTo: tail, maxBytes, json: true })
          read.push(...(JSON.parse(`[${decode(page.body)}]`) as string[]))
          from = page.next
        }
        expect(read).toEqual(values)
      }),
    )
  })

  test('a page ends where a fork begins, inside a chunk too', () => {
    const { pieces } = stored([encode('hello'), encode('world')], 100)
    const page = collectPage(pieces, { from: 1, upTo: 7, maxBytes: 100, json: false })
    expect([decode(page.body), page.next]).toEqual(['ellowo', 7])
  })

  test('inherited and own messages are one list', () => {
    const join = (one: string, two: string) =>
      decode(joinPages({ body: encode(one), next: 1 }, { body: encode(two), next: 2 }, true).body)
    expect([join('1', '2'), join('', '2'), join('1', '')]).toEqual(['1,2', '2', '1'])
  })
})
