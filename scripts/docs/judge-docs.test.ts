import { describe, expect, test } from 'vitest'
import { isTestFile, judgePaths, judgeRequirements } from './judge-docs.ts'

const page = (state: string) => `| id | in our words | state |\n| --- | --- | --- |\n| ABC-1 | a promise | ${state} |\n`
const id = (name: string) => `[${name}]`

describe('requirements', () => {
  test('one that is called done needs a test that names it', () => {
    const without = new Map([['a.test.ts', `test('${id('ABC-10')} another', …)`]])
    expect(judgeRequirements(page('done'), without)).toHaveLength(1)
    const withIt = new Map([['a.test.ts', `test('${id('ABC-1')} keeps it', …)`]])
    expect(judgeRequirements(page('done'), withIt)).toEqual([])
  })

  test('one that is partly done or not yet done needs none', () => {
    expect(judgeRequirements(page('partly: no phone screen'), new Map())).toEqual([])
    expect(judgeRequirements(page('not yet'), new Map())).toEqual([])
  })

  test.each(['', 'finished', 'partly:', 'done soon'])('the state "%s" is refused', (state) => {
    expect(judgeRequirements(page(state), new Map())).toHaveLength(1)
  })

  test('an id that is listed twice is named', () => {
    expect(judgeRequirements(page('not yet') + page('not yet'), new Map())).toEqual(['ABC-1 is listed twice'])
  })

  test('tests are unit, contract and browser tests', () => {
    const names = ['a.test.ts', 'b.test.tsx', 'c.int.test.ts', 'd.contract.ts', 'e2e/journeys/e.spec.ts']
    expect(names.every(isTestFile)).toBe(true)
    expect(['a.ts', 'docs/a.md', 'spec.ts'].some(isTestFile)).toBe(false)
  })
})

describe('paths', () => {
  const files = ['server/main.ts', 'server/db/pool.ts', 'README.md']
  const top = new Set(['server', 'README.md'])
  const judge = (text: string) => judgePaths(new Map([['docs/a.md', text]]), files, top)

  test('files and folders that exist are fine, with or without a closing slash', () => {
    expect(judge('See `server/main.ts`, `server/db/` and `server/db`.')).toEqual([])
  })

  test('a path that does not exist is named with its document', () => {
    expect(judge('See `server/gone.ts`.')).toEqual(['docs/a.md names server/gone.ts, which does not exist'])
  })

  test('patterns, commands, other names and code blocks are not paths', () => {
    expect(
      judge('`server/*.ts` `npm test` `text/html` `/api/ingest` `server/<noun>.ts`\n```\n`server/x.ts`\n```\n'),
    ).toEqual([])
  })
})
