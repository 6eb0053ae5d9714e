import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutIntoChunks } from './chunks.ts'

test('[STR-3] pieces are small, and together they are the message', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 4, max: 50 }), (message, size) => {
      const chunks = cutIntoChunks(message, size)
      expect(chunks.every((chunk) => chunk.length > 0 && chunk.length <= size)).toBe(true)
      expect(new Uint8Array(Buffer.concat(chunks))).toEqual(message)
    }),
  )
})

test('[STR-3] a character is never cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 4, max: 20 }), (text, size) => {
      const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
      const chunks = cutIntoChunks(new TextEncoder().encode(text), size)
      expect(chunks.map((chunk) => decoder.decode(chunk)).join('')).toBe(text)
    }),
  )
})
