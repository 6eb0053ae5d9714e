import { expect, it } from 'vitest'
import { shortcutName } from './shortcuts.ts'

const press = (key: string, with_: Partial<Parameters<typeof shortcutName>[0]> = {}) =>
  shortcutName({ key, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...with_ })

it('[FEED-19] a plain key is named by its character', () => {
  expect(press('j')).toBe('j')
  expect(press('?')).toBe('?')
  expect(press('A')).toBe('A')
})

it('[FEED-19] keys with a modifier or inside a composition belong to the browser', () => {
  expect(press('k', { ctrlKey: true })).toBeNull()
  expect(press('k', { metaKey: true })).toBeNull()
  expect(press('/', { altKey: true })).toBeNull()
  expect(press('a', { isComposing: true })).toBeNull()
})
