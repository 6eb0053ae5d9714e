import { expect, it } from 'vitest'
import { avatarTone, initial } from './avatar-tone.ts'

it('[FEED-13] a handle always has the same one of six colours', () => {
  const handles = ['ada', 'grace', 'linus', 'barbara', 'ken', 'margaret', 'edsger', 'radia', 'alan', 'donald']
  const tones = handles.map(avatarTone)
  expect(handles.map(avatarTone)).toEqual(tones)
  for (const tone of tones) expect([1, 2, 3, 4, 5, 6]).toContain(tone)
  expect(new Set(tones).size).toBeGreaterThan(2)
})

it('[FEED-13] the initial skips what is not a letter and survives odd names', () => {
  expect(initial('  «ada»')).toBe('A')
  expect(initial('éloïse')).toBe('É')
  expect(initial('42 builds')).toBe('4')
  expect(initial('—')).toBe('?')
})
