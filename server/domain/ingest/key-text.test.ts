import { describe, expect, it } from 'vitest'
import { bearerToken, isSource, parseKey, printKey } from './key-text.ts'

const PREFIX = '0123456789ab'
const SECRET = `${'A_-z9'.repeat(8)}xyz`

describe('keys as text', () => {
  it('[FEED-10] what is printed is what is read, also with the separator in the secret', () => {
    expect(parseKey(printKey(PREFIX, SECRET))).toEqual({ prefix: PREFIX, secret: SECRET })
  })

  it.each(['', 'sf_', `sf_${PREFIX}`, `sf_${PREFIX}_short`, `sf_${PREFIX}_${SECRET}x`, `xx_${PREFIX}_${SECRET}`])(
    '[FEED-10] %j is no key',
    (text) => expect(parseKey(text)).toBeNull(),
  )

  it.each([
    ['Bearer abc', 'abc'],
    ['bearer  abc ', 'abc'],
    ['Basic abc', null],
    ['Bearer', null],
    ['Bearer a b', null],
    [undefined, null],
  ])('[FEED-10] the token of %j is %j', (header, token) => expect(bearerToken(header)).toBe(token))

  it('[FEED-11] the address of a source is 32 digits', () => {
    expect(isSource('0123456789abcdef'.repeat(2))).toBe(true)
    expect(isSource('0123456789abcdeg'.repeat(2))).toBe(false)
    expect(isSource(`${'0'.repeat(32)}\n`)).toBe(false)
  })
})
