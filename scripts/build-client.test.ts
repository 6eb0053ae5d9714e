import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ingredientsHash } from './build-client.ts'

let root = ''
const hash = () => ingredientsHash(root, ['client', 'lock.json', 'missing.ts'])
beforeEach(() => {
  root = `${mkdtempSync(join(tmpdir(), 'sf-build-'))}/`
  mkdirSync(join(root, 'client/src'), { recursive: true })
  writeFileSync(join(root, 'client/src/main.ts'), 'one')
  writeFileSync(join(root, 'lock.json'), '{}')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('the same files give the same hash, wherever they are', () => {
  expect(hash()).toBe(hash())
})

test.each([
  ['a changed file', () => writeFileSync(join(root, 'client/src/main.ts'), 'two')],
  ['a new file', () => writeFileSync(join(root, 'client/src/other.ts'), '')],
  ['a removed file', () => rmSync(join(root, 'client/src/main.ts'))],
  ['a changed lock file', () => writeFileSync(join(root, 'lock.json'), '{ }')],
  ['text that moves from one file to another', () => writeFileSync(join(root, 'client/src/main.tsone'), '')],
])('%s changes it', (_what, change) => {
  const before = hash()
  change()
  expect(hash()).not.toBe(before)
})

test('a file outside the list does not change it', () => {
  const before = hash()
  writeFileSync(join(root, 'server.ts'), 'x')
  expect(hash()).toBe(before)
})
