import { expect, test } from 'vitest'
import type { ActivityLog, LogEntry } from '#server/app/log-ports.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { fixedClock } from '#shared/clock.ts'
import { Tail } from './tail.ts'

const EPOCH = 'epoch001'
const START = 1_800_000_000_000
const at = (ms: number) => ({ epoch: EPOCH, ms: START + ms, n: 0 })
const beat = (ms: number): LogEntry => ({ position: at(ms), kind: 'beat', topicId: 0, seq: 0, data: '' })
const activity = (ms: number): LogEntry => ({ position: at(ms), kind: 'activity', topicId: 1, seq: 1, data: '{}' })

/** A log that holds some entries and gets others while it is followed. */
function logOf(held: LogEntry[], coming: LogEntry[]): ActivityLog {
  return {
    recent: async () => ({ epoch: EPOCH, entries: held, complete: true, end: held.at(-1)?.position ?? null }),
    follow: async (_from, signal, onEntries) => {
      onEntries(coming)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
  } as Partial<ActivityLog> as ActivityLog
}

test('[LIVE-17] a beat is told when it comes from the log, after what the log got before it', async () => {
  const clock = fixedClock(START + 30_000)
  const told: unknown[] = []
  const tail = new Tail({
    log: logOf([beat(0)], [activity(1), beat(30_000)]),
    ringBytes: 1_000,
    clock,
    logger: createLogger({ mode: 'production', logLevel: 'silent' }),
    beforeFollow: async () => told.push('before'),
    onEntry: ({ kind }) => told.push(kind),
    onBeat: () => told.push(tail.beatAgeMs),
    onNewEpoch: () => told.push('new epoch'),
    wait: async () => undefined,
  })
  await tail.start()
  // The one that was there already is known, and news to nobody.
  expect(told).toEqual(['before', 'activity', 0])
  clock.advance(15_000)
  expect(tail.beatAgeMs).toBe(15_000)
  await tail.stop()
})
