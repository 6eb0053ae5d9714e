import { expect, it } from 'vitest'
import type { UnreadCounts } from '#shared/live-events.ts'
import { createMarker, type MarkResult } from './marker.ts'

const counts: UnreadCounts = { total: 0, mentions: 0, topics: {}, heads: {}, deletions: {}, version: 1 }

function setUp() {
  const sent: [number[], boolean][] = []
  const results: MarkResult[] = []
  const later: (() => void)[] = []
  let refused = 0
  let saved: [number, boolean][] = []
  const marker = createMarker({
    send: async (ids, read) => {
      sent.push([ids, read])
      return results.shift() ?? { ok: true, counts }
    },
    onCounts: () => {},
    onRefused: () => {
      refused += 1
    },
    save: (marks) => {
      saved = marks
    },
    later: (run) => void later.push(run),
  })
  const ring = async () => {
    for (const run of later.splice(0)) run()
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return { marker, sent, results, ring, refused: () => refused, saved: () => saved }
}

it('[FEED-13] marks made close together are sent together, the last word on each', async () => {
  const run = setUp()
  run.marker.mark([1, 2], true)
  run.marker.mark([3], true)
  run.marker.mark([2], false)
  expect(run.sent).toEqual([])
  await run.ring()
  expect(run.sent).toEqual([
    [[1, 3], true],
    [[2], false],
  ])
  expect(run.saved()).toEqual([])
})

it('[FEED-15] marks that could not be sent are kept and sent later', async () => {
  const run = setUp()
  run.results.push({ ok: false, later: true })
  run.marker.mark([1], true)
  await run.ring()
  expect([run.marker.waiting(), run.saved()]).toEqual([1, [[1, true]]])
  await run.marker.flush()
  expect(run.sent.length).toBe(2)
  expect(run.marker.waiting()).toBe(0)
})

it('[FEED-15] refused marks are let go and the truth is asked for', async () => {
  const run = setUp()
  run.results.push({ ok: false, later: false })
  run.marker.mark([1], true)
  await run.ring()
  expect([run.marker.waiting(), run.refused()]).toEqual([0, 1])
})
