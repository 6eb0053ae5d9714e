import { describe, expect, test } from 'vitest'
import { coalesce } from './coalesce.ts'

function worldOf() {
  const calls: { keys: string[]; answer: (version: number) => void; fail: () => void }[] = []
  const ask = coalesce<string>(
    (keys) =>
      new Promise((resolve, reject) =>
        calls.push({
          keys,
          answer: (version) => resolve(new Map(keys.map((key) => [key, `${key}${version}`]))),
          fail: () => reject(new Error('away')),
        }),
      ),
  )
  return { ask, calls }
}
const settle = () => new Promise(setImmediate)

describe('[LIVE-2] questions of one moment', () => {
  test('a few go at once, the others share the next query', async () => {
    const { ask, calls } = worldOf()
    const answers = ['a', 'b', 'c', 'd', 'e', 'f', 'e'].map(ask)
    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['b'], ['c'], ['d']])
    calls[0]!.answer(1)
    await settle()
    expect(calls[4]!.keys).toEqual(['e', 'f'])
    for (const { answer } of calls.slice(1)) answer(1)
    expect(await Promise.all(answers)).toEqual(['a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'e1'])
  })

  test('an answer is never older than its question', async () => {
    const { ask, calls } = worldOf()
    const first = ask('a')
    const second = ask('a')
    expect(calls).toHaveLength(2)
    calls[0]!.answer(1)
    calls[1]!.answer(2)
    expect(await Promise.all([first, second])).toEqual(['a1', 'a2'])
  })

  test('a failure reaches those who asked, and nobody after them', async () => {
    const { ask, calls } = worldOf()
    const failed = ask('a')
    calls[0]!.fail()
    await expect(failed).rejects.toThrow('away')
    const later = ask('a')
    calls[1]!.answer(1)
    expect(await later).toBe('a1')
  })
})
