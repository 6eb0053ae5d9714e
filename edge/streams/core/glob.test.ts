import { expect, test } from 'vitest'
import { matchesGlob } from './glob.ts'

test.each([
  ['events/*', 'events/a', true],
  ['events/*', 'events/a/b', false],
  ['events/*', 'events', false],
  ['**', 'a/b/c', true],
  ['events/**', 'events', true],
  ['events/**', 'events/a/b', true],
  ['**/b/**/d', 'a/b/c/c/d', true],
  ['**/b/**/d', 'a/c/d', false],
  ['a*c', 'abc', true],
  ['a*c*e', 'abcde', true],
  ['a*a', 'a', false],
  ['*x*x', 'x', false],
  ['a.c', 'abc', false],
])('[STR-1] %s against %s: %s', (pattern, path, matches) => {
  expect(matchesGlob(pattern, path)).toBe(matches)
})
