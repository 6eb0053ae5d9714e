// Several processes on one port, as an operator runs them: real processes, a real Postgres, the embedded Redis.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Command, runCommand } from '#scripts/testing/command.ts'
import { openDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { freePort } from '#scripts/testing/postgres-server.ts'

const EVENTUALLY = { timeout: 60_000, interval: 50 }
/** Several processes start and end in each of these, maybe on a busy machine. */
const PATIENT = 120_000

describe.skipIf(process.platform !== 'linux')('WORKERS=2', { timeout: PATIENT }, () => {
  let database: TestDatabase
  let dataDir: string
  let command: Command
  let base: string
  const serving = () => command.processes().filter(({ command }) => command.includes('cluster-worker.ts'))
  const first = () => command.processes().find(({ command }) => command.includes('scripts/start.ts'))!

  beforeEach(async () => {
    database = await openDatabase('postgres')
    dataDir = mkdtempSync(join(tmpdir(), 'sf-cluster-'))
    const port = String(await freePort())
    base = `http://127.0.0.1:${port}`
    const env = { PORT: port, DATA_DIR: dataDir, DATABASE_URL: database.url!, WORKERS: '2', LOG_LEVEL: 'warn' }
    command = runCommand('start', env)
    await command.printed(/ready on 2 processes/)
  }, PATIENT)
  afterEach(async () => {
    for (const { pid } of command.processes()) process.kill(pid, 'SIGKILL')
    await command.exited
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
    await database.stop()
  })

  it('[LIVE-6] both serve, a killed one is replaced, and Ctrl-C ends them all', async () => {
    expect(serving()).toHaveLength(2)
    const [killed] = serving()
    process.kill(killed!.pid, 'SIGKILL')
    await expect.poll(() => serving().filter(({ pid }) => pid !== killed!.pid).length, EVENTUALLY).toBe(2)
    expect((await fetch(`${base}/readyz`)).status).toBe(200)
    // [MON-1] whichever answers a scrape, it has the figures of both, under the numbers that they had before.
    const workersSeen = async () => {
      const text = await (await fetch(`${base}/metrics`)).text()
      return [...text.matchAll(/^sse_connections_active\{worker="(\d+)"\}/gm)].map(([, worker]) => worker)
    }
    await expect.poll(workersSeen, EVENTUALLY).toEqual(['1', '2'])
    command.interrupt()
    await command.exited
    await expect.poll(command.processes, EVENTUALLY).toEqual([])
  })

  it('[LIVE-6] SIGUSR2 replaces them one by one while the port goes on answering', async () => {
    const before = serving().map(({ pid }) => pid)
    let answering = true
    const answers: (number | string)[] = []
    const ask = async () => {
      while (answering) {
        const asked = fetch(`${base}/healthz`, {
          headers: { connection: 'close' },
          signal: AbortSignal.timeout(20_000),
        })
        answers.push(await asked.then(({ status }) => status, String))
      }
    }
    // Many at a time, so that some are on their way to a process at the moment it leaves.
    const asking = Promise.all(Array.from({ length: 16 }, ask))
    process.kill(first().pid, 'SIGUSR2')
    const [said] = await command.printed(/All processes were replaced|Processes were not replaced.*/)
    expect(said, command.output()).toBe('All processes were replaced')
    answering = false
    await asking
    expect(new Set(answers)).toEqual(new Set([200]))
    expect(serving()).toHaveLength(2)
    expect(serving().filter(({ pid }) => before.includes(pid))).toEqual([])
  })

  it('the first one killed, the others go too', async () => {
    process.kill(first().pid, 'SIGKILL')
    await expect.poll(command.processes, EVENTUALLY).toEqual([])
  })
})
