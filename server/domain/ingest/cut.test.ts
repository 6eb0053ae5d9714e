import { expect, test } from 'vitest'
import { cut } from './cut.ts'

test.each([
  ['short', 5, 'short'],
  ['longer', 5, 'long…'],
  ['ab😀cd', 4, 'ab…'],
  ['ab😀cd', 5, 'ab😀…'],
])('[FEED-10] %j cut to %d is %j', (text, max, expected) => expect(cut(text, max)).toBe(expected))
