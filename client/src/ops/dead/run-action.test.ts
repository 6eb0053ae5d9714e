import { describe, expect, it } from 'vitest'
import { IDS_AT_ONCE, type Report, runAction, type Total } from './run-action.ts'

const wish = { action: 'replay', reason: 'acme is back', dryRun: false } as const
const reportOf = (n: number, cursor: string | null = null, held: string[] = []): Report => ({
  letters: Array.from({ length: n }, (_, i) => ({ id: `${i}-0`, handler: 'webhooks', outcome: 'replayed' })),
  counts: { replayed: n, discarded: 0, gone: 0, guarded: 0 },
  ...{ cursor, held, replayedBefore: 1, unreadable: 0, dryRun: false },
})

describe('[DLV-6] a row of calls', () => {
  it('goes through chosen letters in parts and adds up', async () => {
    const ids = Array.from({ length: 2 * IDS_AT_ONCE + 5 }, (_, i) => `${i}-1`)
    const asked: number[] = []
    const seen: number[] = []
    const total = await runAction({ ids }, wish, {
      call: async (input) => {
        asked.push(input.ids!.length)
        return reportOf(input.ids!.length, null, ['webhooks'])
      },
      signal: new AbortController().signal,
      onProgress: ({ done }) => seen.push(done),
    })
    expect(asked).toEqual([IDS_AT_ONCE, IDS_AT_ONCE, 5])
    expect(seen).toEqual([IDS_AT_ONCE, 2 * IDS_AT_ONCE, ids.length])
    expect(total).toMatchObject({
      complete: true,
      counts: { replayed: ids.length },
      held: ['webhooks'],
      replayedBefore: 3,
    })
  })

  it('follows the cursor of a filter to its end, and never asks from the same place twice', async () => {
    const cursors: (string | undefined)[] = []
    const answers = [reportOf(500, '9-0'), reportOf(500, '4-0'), reportOf(2)]
    const total = await runAction({ filter: { handler: 'webhooks' } }, wish, {
      call: async (input) => {
        cursors.push(input.cursor)
        return answers[cursors.length - 1]!
      },
      signal: new AbortController().signal,
      onProgress: () => {},
    })
    expect(cursors).toEqual([undefined, '9-0', '4-0'])
    expect(total).toMatchObject({ done: 1_002, complete: true })
  })

  it('stops between two calls, with what was done', async () => {
    const stop = new AbortController()
    let last: Total | null = null
    const total = await runAction({ filter: {} }, wish, {
      call: async () => reportOf(500, '9-0'),
      signal: stop.signal,
      onProgress: (now) => {
        last = now
        if (now.done >= 1_000) stop.abort()
      },
    })
    expect(total).toMatchObject({ done: 1_000, complete: false })
    expect(last).toEqual(total)
  })
})
