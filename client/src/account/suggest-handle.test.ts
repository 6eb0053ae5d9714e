import { expect, it } from 'vitest'
import { HANDLE_PATTERN } from '#shared/person.ts'
import { suggestHandle } from './suggest-handle.ts'

it('[FEED-21] a handle is suggested from the first name, without accents', () => {
  expect(suggestHandle('Ada Lovelace')).toBe('ada')
  expect(suggestHandle('  Éloïse-Marie B.')).toBe('eloise-marie')
  expect(suggestHandle('42 Zoë')).toBe('zoe')
})

it('[FEED-21] a suggestion keeps the rules for handles, or is nothing', () => {
  for (const name of ['Ada', 'x'.repeat(80), 'Jo-Ann_3', 'Ørsted Hans']) {
    expect(suggestHandle(name)).toMatch(HANDLE_PATTERN)
  }
  expect(suggestHandle('李')).toBe('')
})
