import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '#shared/clock.ts'
import { HANDLE_PATTERN } from '#shared/person.ts'
import { handleCandidates, handleFrom } from './handles.ts'

describe('handleFrom', () => {
  it.each([
    [['ada.lovelace@example.org'], 'ada-lovelace'],
    [['Zoë Müller'], 'zoe-muller'],
    [[null, '42@example.org', 'Grace Hopper'], 'grace-hopper'],
    [['李雷', '李雷@example.org'], 'person'],
    [['9lives_of-a-cat'], 'lives_of-a-cat'],
  ])('[FEED-21] makes %o into %s', (texts, handle) => {
    expect(handleFrom(...texts)).toBe(handle)
  })

  it('[FEED-21] and its alternatives are valid handles for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer(), (text, seed) => {
        const candidates = handleCandidates(handleFrom(text), seededRandom(seed))
        expect(candidates.every((candidate) => HANDLE_PATTERN.test(candidate))).toBe(true)
      }),
    )
  })
})
