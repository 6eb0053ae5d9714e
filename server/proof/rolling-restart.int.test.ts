// Both processes are replaced while people write and fifty readers read, as an operator does it with SIGUSR2.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Command, runCommand } from '#scripts/testing/command.ts'
import { freePort } from '#scripts/testing/postgres-server.ts'
import { type Attempt, openReader, type Reader } from './reader.fixture.ts'
import { isLive, newCast, openBackends, PATIENT, showsAll } from './stage.fixture.ts'
import { startWriters } from './writers.fixture.ts'

const PROCESSES = 2
/** New connections that a process admits in a second, and at most at once. */
const RATE = 6
const READERS = 50

describe.skipIf(process.platform !== 'linux')('a rolling restart', { timeout: PATIENT }, () => {
  let backends: Awaited<ReturnType<typeof openBackends>>
  let command: Command
  let dataDir: string
  let base: string
  let readers: Reader[] = []
  beforeEach(async () => {
    backends = await openBackends()
    dataDir = mkdtempSync(join(tmpdir(), 'sf-rolling-'))
    const port = String(await freePort())
    base = `http://127.0.0.1:${port}`
    const env = { PORT: port, HOST: '127.0.0.1', DATA_DIR: dataDir, LOG_LEVEL: 'warn', AUTH_THROTTLE: 'off' }
    const processes = { WORKERS: String(PROCESSES), SSE_ADMISSIONS_PER_SECOND: String(RATE) }
    command = runCommand('start', { ...env, ...processes, ...backends.env })
    await command.printed(/ready on 2 processes/)
  }, PATIENT)
  afterEach(async () => {
    for (const reader of readers) reader.stop()
    for (const { pid } of command.processes()) process.kill(pid, 'SIGKILL')
    await command.exited
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
    await backends.stop()
  }, PATIENT)

  it('[LIVE-6] loses nothing, repeats nothing, and lets nobody in faster than the admission rate', async () => {
    const { writer, people, topics } = await newCast(base, { people: 5 })
    const opening = Array.from({ length: READERS }, (_, i) => openReader(people[i % people.length]!, { base }))
    readers = await Promise.all(opening)
    const writers = startWriters(writer, topics)
    await Promise.all(readers.map(isLive))
    const connected = readers.map(({ attempts }) => attempts.length)

    const first = command.processes().find(({ command }) => command.includes('scripts/start.ts'))!
    process.kill(first.pid, 'SIGUSR2')
    await command.printed(/All processes were replaced/)
    await Promise.all(readers.map(isLive))
    const posts = await writers.stop()
    for (const reader of readers) {
      await showsAll(reader, posts)
      expect(reader.losses()).toEqual({ gaps: 0, repeats: 0, breakerOpened: 0 })
    }

    const admitted = readers.flatMap(({ attempts }) => attempts.filter(isAdmitted))
    // What comes in at once, and what half a second adds; as much again, as we see them a little later than they happened.
    expect(mostWithin(500, admitted)).toBeLessThanOrEqual(PROCESSES * (RATE + RATE / 2 + RATE / 2))
    const again = readers.map(({ attempts }, index) => attempts.slice(connected[index]))
    expect(again.filter((attempts) => !attempts.some(isAdmitted))).toEqual([])
    // They were given slots, so that hardly anybody came in vain.
    expect(again.flat().filter((attempt) => !isAdmitted(attempt)).length).toBeLessThan(READERS / 4)
  })
})

const isAdmitted = ({ status }: Attempt) => status === 200

/** The largest number of attempts in any stretch of so many milliseconds. */
function mostWithin(ms: number, attempts: Attempt[]): number {
  const moments = attempts.map(({ at }) => at).sort((a, b) => a - b)
  return Math.max(...moments.map((start) => moments.filter((at) => at >= start && at < start + ms).length))
}
