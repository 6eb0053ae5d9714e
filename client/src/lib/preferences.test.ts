import { expect, it } from 'vitest'
import { DEFAULTS, parsePreferences } from './preferences.ts'

it('[FEED-19] saved choices come back', () => {
  const saved = { theme: 'dark', density: 'compact', shortcuts: false } as const
  expect(parsePreferences(JSON.stringify(saved))).toEqual(saved)
})

it('[FEED-19] nothing saved, broken text and unknown values fall back to the defaults', () => {
  expect(parsePreferences(null)).toEqual(DEFAULTS)
  expect(parsePreferences('{')).toEqual(DEFAULTS)
  expect(parsePreferences('null')).toEqual(DEFAULTS)
  expect(parsePreferences('{"theme":"sepia","density":3,"shortcuts":"no"}')).toEqual(DEFAULTS)
})
