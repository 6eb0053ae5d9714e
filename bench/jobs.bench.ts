// The concurrency manager on workerd: how much of the formula slots / T is reached, how fast jobs are taken in, what a job
// costs in rows of storage; and a hundred thousand jobs under random faults in the partitions' own time.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { startTestEgress, type TestEgress } from '#scripts/testing/egress.ts'
import { simulate } from '../edge/jobs/testing/simulate.ts'
import { median, round } from './measure.ts'

export const summary = 'jobs a second against slots / T, taking in, rows per job, and 100,000 jobs under faults'

const SLOTS = 4
const SHARE_GOAL = 0.95
const INTAKE_GOAL = 10_000
const QUICK = { routing: 'hash', hashKey: 'key', maxQueueDepth: 100_000, rebalance: 'manual' }
const SIMULATED = {
  concurrency: 10,
  partitions: 4,
  timeout: 500,
  retry: { baseDelay: 20, maxDelay: 200, maxAttempts: 6 },
}

export async function run(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '8' },
      simulated: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
    },
  })
  const simulated = Number(values.simulated)
  return {
    ...(await onWorkerd(Number(values.seconds))),
    ...(simulated === 0 ? {} : { simulation: faults(simulated, Number(values.seed)) }),
  }
}

async function onWorkerd(seconds: number) {
  let handlerMs = 0
  const times: number[] = []
  const egress = await startTestEgress(async () => {
    const startedAt = performance.now()
    if (handlerMs > 0) await wait(handlerMs)
    times.push(performance.now() - startedAt)
    return { outcome: 'done' }
  }, false)
  const JOBS_CONFIG = JSON.stringify({ ...QUICK, concurrency: SLOTS, partitions: SLOTS })
  const edge = await startTestEdge({ EGRESS_URL: egress.url, JOBS_CONFIG })
  const post = async (path: string, body?: unknown) =>
    fetch(`${edge.url}/v1/default/jobs${path}`, { method: 'POST', body: JSON.stringify(body) ?? null })
  try {
    await post('', batch(SLOTS, 0))
    const throughput = []
    for (const ms of [100, 10, 0]) {
      handlerMs = ms
      // More than can be done, evenly over the partitions, so that every slot is busy to the end.
      const wanted = Math.min(20_000, Math.ceil((SLOTS * seconds * 1_500) / Math.max(1, ms)))
      for (let sent = 0; sent < wanted; sent += 1_000) await post('', batch(Math.min(1_000, wanted - sent), 0))
      await wait(500)
      throughput.push(await throughputAt(ms, seconds, times, egress))
      await post('/drain')
      await wait(500)
    }
    const before = await figures(edge.url)
    const taking: number[] = []
    for (let round = 0; round < 10; round++) {
      const jobs = batch(1_000, 3_600_000)
      const startedAt = performance.now()
      const answer = await post('', jobs)
      if (answer.status !== 202) throw new Error(`not taken: ${answer.status}`)
      taking.push(1_000 / ((performance.now() - startedAt) / 1_000))
    }
    const after = await figures(edge.url)
    const perSecond = round(median(taking), 0)
    const { rowsRead, rowsWritten, done } = before
    return {
      slots: SLOTS,
      throughput,
      intake: { perSecond, goal: { atLeast: INTAKE_GOAL, met: perSecond >= INTAKE_GOAL } },
      rowsPerJob: {
        wholeLife: { read: round(rowsRead / done), written: round(rowsWritten / done) },
        takingIn: {
          read: round((after.rowsRead - rowsRead) / 10_000),
          written: round((after.rowsWritten - rowsWritten) / 10_000),
        },
      },
    }
  } finally {
    await edge.stop()
    await egress.stop()
  }
}

async function throughputAt(ms: number, seconds: number, times: number[], egress: TestEgress) {
  times.length = 0
  egress.forgetMost()
  const startedAt = performance.now()
  await wait(seconds * 1_000)
  const elapsed = (performance.now() - startedAt) / 1_000
  const perSecond = times.length / elapsed
  // A timer of 10 ms takes 10 to 11: the formula is about what the handler really took.
  const really = times.reduce((sum, time) => sum + time, 0) / times.length
  const formula = ms === 0 ? null : round((SLOTS * 1_000) / really)
  const share = formula === null ? null : round(perSecond / formula)
  return {
    ...{ handlerMs: ms, perSecond: round(perSecond), formula, share, mostAtOnce: egress.mostAtOnce() },
    ...(share === null ? {} : { goal: { atLeast: SHARE_GOAL, met: share >= SHARE_GOAL } }),
  }
}

const batch = (count: number, delayMs: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ type: 'webhook', key: `host-${at % 64}.example`, payload: { at }, idempotencyKey: randomUUID() },
    ...(delayMs === 0 ? {} : { runAt: Date.now() + delayMs }),
  }))

async function figures(url: string) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\d+)$`, 'gm'))].reduce(
      (total, [, value]) => total + Number(value),
      0,
    )
  return {
    rowsRead: sum('jobs_storage_rows_read_total'),
    rowsWritten: sum('jobs_storage_rows_written_total'),
    done: sum('jobs_done_total'),
  }
}

function faults(jobs: number, seed: number) {
  const startedAt = performance.now()
  const config = { ...QUICK, ...SIMULATED }
  const result = simulate({
    ...{ jobs, seed, config, keys: 500 },
    changes: [
      { ...config, concurrency: 4, partitions: 2 },
      { ...config, concurrency: 12, partitions: 6 },
    ],
  })
  const { accepted, done, dead, overLimit, finishedTwice } = result
  const met = accepted === jobs && done + dead === jobs && overLimit <= 0 && finishedTwice === 0
  return {
    jobs,
    seed,
    seconds: round((performance.now() - startedAt) / 1_000),
    ...result,
    goal: { eachOnce: true, met },
  }
}
