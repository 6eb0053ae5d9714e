import { describe, expect, test } from 'vitest'
import type { MissedEvent } from '#server/app/log-ports.ts'
import type { Position } from '#shared/position.ts'
import { REPLAY_MAX_EVENTS, type ResumeDeps, replayAfter } from './resume.ts'
import { Ring } from './ring.ts'

const EPOCH = 'epoch1'
const at = (ms: number, n = 0): Position => ({ epoch: EPOCH, ms, n })
const change = (seq: number) => ({
  topic: 1,
  seq,
  change: { kind: 'settings', description: '', visibility: 'public', posting: 'everyone' } as const,
})

/** A log of one topic, seq n at position n; memory begins after `ringStart`, Postgres has everything. */
function worldOf(length: number, ringStart: number | null): ResumeDeps & { asked: [number, number][] } {
  const ring = new Ring(10_000_000)
  ring.reset(ringStart === null ? null : at(ringStart))
  for (let seq = (ringStart ?? 0) + 1; seq <= length; seq++)
    ring.push({
      position: at(seq),
      topicId: 1,
      kind: 'update',
      data: JSON.stringify(change(seq)),
      frame: Buffer.from(String(seq)),
    })
  const asked: [number, number][] = []
  return {
    asked,
    tail: { ring, position: at(length) },
    floorMs: () => 5,
    outbox: {
      missed: async (_viewer, after, until, limit) => {
        asked.push([after.ms, until!.ms])
        const found: MissedEvent[] = []
        for (let seq = after.ms + 1; seq <= until!.ms; seq++)
          found.push({
            position: { ms: seq, n: 0 },
            event: { topicId: 1, seq, log: { kind: 'update', event: change(seq) } },
          })
        return found.length > limit ? null : found
      },
    },
  }
}

const seqs = async (deps: ResumeDeps, after: Position) =>
  (await replayAfter(deps, 'ada', [1], after))?.events().map(({ seq }) => seq) ?? null
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('[LIVE-2] what a returning reader missed', () => {
  test('comes from memory alone while memory reaches back', async () => {
    const world = worldOf(30, 10)
    expect(await seqs(world, at(12))).toEqual(range(13, 30))
    expect(await seqs(world, at(10))).toEqual(range(11, 30))
    expect(await seqs(world, at(30))).toEqual([])
    expect(world.asked).toEqual([])
  })

  test('comes from Postgres up to where memory begins, with no gap and no repeat at the seam', async () => {
    const world = worldOf(30, 20)
    expect(await seqs(world, at(7))).toEqual(range(8, 30))
    expect(world.asked).toEqual([[7, 20]])
  })

  test('is a reset beyond 1,000 events, counted over both', async () => {
    expect(await seqs(worldOf(REPLAY_MAX_EVENTS + 6, 500), at(6))).toEqual(range(7, REPLAY_MAX_EVENTS + 6))
    expect(await seqs(worldOf(REPLAY_MAX_EVENTS + 7, 500), at(6))).toBeNull()
  })

  test('is a reset below the floor, in another epoch, and before this process has seen the log', async () => {
    expect(await seqs(worldOf(30, 20), at(4))).toBeNull()
    expect(await seqs(worldOf(30, null), { ...at(20), epoch: 'another' })).toBeNull()
    const world = worldOf(30, null)
    expect(await seqs({ ...world, tail: { ring: world.tail.ring, position: null } }, at(20))).toBeNull()
  })

  test('a reader that is ahead of this process keeps its own place', async () => {
    expect(await replayAfter(worldOf(30, null), 'ada', [1], at(33))).toMatchObject({ frames: [], position: at(33) })
  })
})
