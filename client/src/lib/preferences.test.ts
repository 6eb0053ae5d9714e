import { expect, it } from 'vitest'
import { DEFAULTS, parsePreferences } from './preferences.ts'

it('[FEED-19] saved choices come back', () => {
  const saved = {
    theme: 'dark',
    density: 'compact',
    shortcuts: false,
    desktop: true,
    quiet: { on: true, from: '21:30', to: '06:00' },
  }
  expect(parsePreferences(JSON.stringify(saved))).toEqual(saved)
})

it('[FEED-19] nothing saved, broken text and unknown values fall back to the defaults', () => {
  expect(parsePreferences(null)).toEqual(DEFAULTS)
  expect(parsePreferences('{')).toEqual(DEFAULTS)
  expect(parsePreferences('null')).toEqual(DEFAULTS)
  expect(
    parsePreferences('{"theme":"sepia","density":3,"shortcuts":"no","desktop":1,"quiet":{"on":true,"from":"7"}}'),
  ).toEqual(DEFAULTS)
})
