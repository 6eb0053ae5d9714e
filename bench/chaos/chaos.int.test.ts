// A few dozen random schedules of faults on every run; `npm run bench -- chaos --seeds 1000` for more.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { openRedis, type TestRedis } from '#scripts/testing/redis.ts'
import { planOf } from './plan.ts'
import { openSimulator } from './simulate.ts'

/** Further seeds are left out when this is used up: a slow machine tests fewer, and never nothing. */
const BUDGET_MS = 60_000
const SEEDS = Array.from({ length: 30 }, (_, i) => i + 1)
const LEAST = 3

describe('[DLV-9] delivery under random faults', () => {
  let database: TestDatabase
  let redisServer: TestRedis
  let simulator: Awaited<ReturnType<typeof openSimulator>>
  beforeAll(async () => {
    ;[database, redisServer] = await Promise.all([openDatabase('postgres'), openRedis()])
    simulator = await openSimulator({ pool: database.pool, databaseUrl: database.url!, redisServer })
  })
  afterAll(async () => {
    await simulator?.stop()
    await redisServer.stop()
    await database.stop()
  })

  it('everything stored is delivered by every handler, in order at the edge, and only poison is dead', {
    timeout: 600_000,
  }, async () => {
    const begun = performance.now()
    let run = 0
    for (const seed of SEEDS) {
      if (run >= LEAST && performance.now() - begun > BUDGET_MS) break
      await simulator.run(planOf(seed))
      run += 1
    }
    expect(run).toBeGreaterThanOrEqual(LEAST)
  })
})
