// One partition on real SQLite, its time in our hands.
import { beforeEach, describe, expect, test } from 'vitest'
import { sqliteInMemory } from '#scripts/testing/sqlite.ts'
import { fixedClock } from '#shared/clock.ts'
import { configSchema } from './core/config.ts'
import type { PlacedJob } from './core/job.ts'
import type { Verdict } from './core/outcome.ts'
import { MAX_DEAD_LETTERS, VIRTUAL_PARTITIONS } from './core/tuning.ts'
import { Partition } from './partition.ts'
import { PartitionStorage } from './partition-storage.ts'

const clock = fixedClock()
let storage: PartitionStorage
let partition: Partition
let secrets = 0

function configure(config: Record<string, unknown> = {}, slots = 1, version = 1): void {
  const all = { routing: 'hash', hashKey: 'key', retry: { jitter: 0, baseDelay: 1_000, maxAttempts: 3 }, ...config }
  const [owners, since] = [Array(VIRTUAL_PARTITIONS).fill(0), Array(VIRTUAL_PARTITIONS).fill(0)]
  const plan = { version, config: configSchema.parse({ concurrency: 4, partitions: 1, ...all }), owners, since }
  partition.configure({ index: 0, slots, plan }, clock.now())
}
beforeEach(() => {
  storage = new PartitionStorage(sqliteInMemory())
  partition = new Partition(storage)
  configure()
})

const job = (name: string, more: Partial<PlacedJob> = {}): PlacedJob => ({
  ...{
    type: 'webhook',
    payload: `{"name":"${name}"}`,
    idempotencyKey: name,
    priority: 5,
    virtual: 7,
    key: 'a.example',
  },
  ...more,
})
const put = (...jobs: PlacedJob[]) => partition.enqueue(jobs, clock.now())
const take = () => partition.take(clock.now(), `secret-${secrets++}`)
const settle = (token: string, verdict: Verdict) => partition.settle(token, verdict, { now: clock.now(), roll: 0 })
const DONE: Verdict = { is: 'done' }
const FAILED: Verdict = { is: 'retry', error: 'no', retryAfterMs: 0, targetDown: false }
const TARGET_DOWN: Verdict = { ...FAILED, targetDown: true }
const EGRESS_DOWN: Verdict = { is: 'egress-down', error: 'refused' }
/** Takes and settles one; its name, or null. */
function run(verdict: Verdict = DONE): string | null {
  const work = take()
  if (work === null) return null
  expect(settle(work.token, verdict)).toBe(true)
  return work.idempotencyKey
}
const restart = () => {
  partition = new Partition(storage)
}

describe('[JOB-4] what is queued', () => {
  test('a batch of a thousand goes in at once and comes out in its order', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `job-${at}`)
    expect(put(...names.map((name) => job(name))).every((one) => one === 'queued')).toBe(true)
    expect(names.map(() => run())).toEqual(names)
    expect(partition.status(clock.now())).toMatchObject({ depth: 0, active: 0 })
  })

  test('no statement of the running partition reads a whole table', () => {
    const asked: string[] = []
    const sql = sqliteInMemory()
    const watched = new PartitionStorage({
      exec: (query, ...bindings) => {
        asked.push(query)
        return sql.exec(query, ...bindings)
      },
    })
    partition = new Partition(watched)
    configure()
    asked.length = 0
    put(job('a'), job('b', { key: 'b.example', runAt: clock.now() + 10 }))
    run(FAILED)
    partition.sweep({ now: clock.now(), roll: 0 })
    partition.nextDueAt(clock.now())
    const scans = [...new Set(asked)].flatMap((query) =>
      sql
        .exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...Array((query.match(/\?/g) ?? []).length).fill('[]'))
        .toArray()
        .filter(({ detail }) => /^SCAN (jobs|seen|lanes|dead)$/.test(detail))
        .map(() => query),
    )
    expect(scans).toEqual([])
    expect(asked.length).toBeGreaterThan(10)
  })

  test('the same idempotency key is the same job, in a batch, later and after a restart', () => {
    expect(put(job('a'), job('a'))).toEqual(['queued', 'duplicate'])
    run()
    restart()
    expect(put(job('a'))).toEqual(['duplicate'])
  })

  test('a restart in any state loses and repeats nothing', () => {
    configure({ timeout: 1_000 }, 2, 2)
    put(job('processing'), job('retrying'), job('queued'), job('delayed', { runAt: clock.now() + 60_000 }))
    const processing = take()!
    settle(take()!.token, FAILED)
    restart()
    expect(partition.status(clock.now())).toMatchObject({ depth: 3, active: 1 })
    expect(settle(processing.token, DONE)).toBe(true)
    expect(run()).toBe('queued')
    clock.advance(1_000)
    expect(run()).toBe('retrying')
    clock.advance(60_000)
    restart()
    expect(run()).toBe('delayed')
    expect(take()).toBeNull()
  })
})

describe('[JOB-5] leases', () => {
  test('slots are taken by leases, also by those of a process that is gone', () => {
    put(job('a'), job('b'))
    take()
    restart()
    expect(take()).toBeNull()
    expect(partition.nextDueAt(clock.now())).toBe(clock.now() + 32_000)
  })

  test('a lost lease costs an attempt, and whoever comes late is refused', () => {
    put(job('a'))
    const lost = take()!
    clock.advance(32_000)
    partition.sweep({ now: clock.now(), roll: 0 })
    expect(settle(lost.token, DONE)).toBe(false)
    clock.advance(1_000)
    const again = take()!
    expect(again).toMatchObject({ id: lost.id, attempt: 2 })
    expect(settle(lost.token, DONE)).toBe(false)
    expect(settle(again.token, DONE)).toBe(true)
    expect(settle(again.token, DONE)).toBe(false)
  })

  test('long work renews its lease and finishes by its token', () => {
    put(job('a'))
    const { token } = take()!
    expect(settle(token, { is: 'accepted' })).toBe(true)
    clock.advance(30_000)
    expect(partition.renew(token, clock.now())).toBe(clock.now() + 32_000)
    clock.advance(30_000)
    partition.sweep({ now: clock.now(), roll: 0 })
    expect(settle(token, DONE)).toBe(true)
    expect(partition.renew(token, clock.now())).toBeNull()
  })
})

describe('[JOB-6] retries and dead letters', () => {
  test('poison is dead after its attempts, with its story, and can be replayed or discarded', () => {
    put(job('poison'))
    for (const wait of [0, 1_000, 2_000]) {
      clock.advance(wait)
      expect(run({ ...FAILED, error: 'no' } as Verdict)).toBe('poison')
    }
    clock.advance(100_000)
    expect(take()).toBeNull()
    const [letter] = storage.dead(Number.MAX_SAFE_INTEGER, 10)
    expect(letter).toMatchObject({ idem: 'poison', attempts: 3, error: 'no', failedAt: clock.now() - 100_000 })
    expect(partition.replay([letter!.id], clock.now())).toBe(1)
    expect(take()).toMatchObject({ id: letter!.id, attempt: 1 })
    expect(partition.replay([letter!.id], clock.now())).toBe(0)
  })

  test('what the origin gives up is dead at once; what is told to wait waits', () => {
    put(job('hopeless'), job('later', { key: 'b.example' }))
    expect(run({ is: 'dead', error: 'gone' })).toBe('hopeless')
    expect(run({ ...FAILED, retryAfterMs: 50_000 } as Verdict)).toBe('later')
    clock.advance(49_999)
    expect(take()).toBeNull()
    clock.advance(1)
    expect(run()).toBe('later')
    const [{ id } = { id: '' }] = storage.dead(Number.MAX_SAFE_INTEGER, 10)
    expect(partition.discard([id])).toBe(1)
    expect(partition.status(clock.now()).dead).toBe(0)
  })

  test('dead letters are capped: the oldest goes, and is counted', () => {
    for (let at = 0; at <= MAX_DEAD_LETTERS; at++) {
      put(job(`job-${at}`))
      run({ is: 'dead', error: 'no' })
    }
    const { dead, figures } = partition.status(clock.now())
    expect(dead).toBe(MAX_DEAD_LETTERS)
    expect(figures.counters).toMatchObject({ dead: MAX_DEAD_LETTERS + 1, deadDropped: 1 })
    expect(storage.dead(Number.MAX_SAFE_INTEGER, 2_000).at(-1)?.idem).toBe('job-1')
  })

  test('what is drained is drained, not failed; what runs goes on', () => {
    put(job('running'), job('a'), job('b'))
    const { token } = take()!
    expect(partition.drain(clock.now())).toBe(2)
    expect(partition.status(clock.now()).figures.counters).toMatchObject({ drained: 2, failed: 0, dead: 0 })
    expect(settle(token, DONE)).toBe(true)
    expect(take()).toBeNull()
  })
})

describe('[JOB-7] priorities and delays', () => {
  test('the urgent goes first, in every lane and between lanes', () => {
    put(job('low', { priority: 1 }), job('high', { priority: 9 }), job('other', { priority: 8, key: 'b.example' }))
    expect([run(), run(), run()]).toEqual(['high', 'other', 'low'])
  })

  test('none starves: what waited long enough goes before what is urgent and new', () => {
    put(job('old', { priority: 0 }))
    clock.advance(89_999)
    put(job('new', { priority: 9 }))
    clock.advance(2)
    put(job('newer', { priority: 9 }))
    expect([run(), run(), run()]).toEqual(['new', 'old', 'newer'])
  })

  test('a delayed job waits for its time and then counts from there', () => {
    put(job('later', { runAt: clock.now() + 5_000 }), job('now'))
    expect(run()).toBe('now')
    expect(take()).toBeNull()
    expect(partition.nextDueAt(clock.now())).toBe(clock.now() + 5_000)
    clock.advance(5_000)
    expect(run()).toBe('later')
  })
})

describe('[JOB-8] pressure', () => {
  test('what is over the mark is refused, what the queue had accepted still fits above', () => {
    configure({ maxQueueDepth: 10 }, 1, 2)
    const taken = put(...Array.from({ length: 12 }, (_, at) => job(`a-${at}`)))
    expect(taken.filter((one) => one === 'queued')).toHaveLength(8)
    expect(taken.slice(8)).toEqual(['slow', 'slow', 'slow', 'slow'])
    expect(partition.enqueue([job('x'), job('y'), job('z')], clock.now(), true)).toEqual(['queued', 'queued', 'full'])
    expect(put(job('b'))).toEqual(['full'])
    expect(partition.status(clock.now()).figures.counters).toMatchObject({ throttled: 4, rejected: 1, enqueued: 10 })
    // What was refused is not known: it may come again.
    run()
    run()
    run()
    expect(put(job('a-8'))).toEqual(['queued'])
  })
})

describe('[JOB-10] targets', () => {
  const both = (count: number) =>
    Array.from({ length: count }, (_, at) => [job(`down-${at}`, { key: 'down.example' }), job(`up-${at}`)]).flat()

  test('a dead one holds no slots and uses no attempts; the others flow', () => {
    configure({}, 2, 2)
    put(...both(30))
    const served: string[] = []
    for (let work = take(); work !== null; work = take()) {
      served.push(work.idempotencyKey)
      settle(work.token, work.idempotencyKey.startsWith('down') ? TARGET_DOWN : DONE)
    }
    expect(served.filter((name) => name.startsWith('up'))).toHaveLength(30)
    // Three failures open the breaker.
    expect(served.filter((name) => name.startsWith('down'))).toHaveLength(3)
    expect(partition.status(clock.now())).toMatchObject({ depth: 30, active: 0, dead: 0 })
    for (let rests = 0; rests < 20; rests++) {
      clock.advance(1_200_000)
      for (let work = take(); work !== null; work = take()) settle(work.token, TARGET_DOWN)
    }
    expect(partition.status(clock.now())).toMatchObject({ depth: 30, dead: 0 })
    clock.advance(1_200_000)
    for (let work = take(); work !== null; work = take()) settle(work.token, DONE)
    expect(partition.status(clock.now()).depth).toBe(0)
  })

  test('a target with much to do leaves the others their turn', () => {
    put(...Array.from({ length: 200 }, (_, at) => job(`much-${at}`, { key: 'much.example' })))
    for (let at = 0; at < 100; at++) run()
    put(...Array.from({ length: 10 }, (_, at) => job(`few-${at}`)))
    const next = Array.from({ length: 30 }, () => run())
    expect(next.filter((name) => name?.startsWith('few'))).toHaveLength(10)
  })

  test('while the egress is down all wait, one tries, and nobody pays for it', () => {
    configure({}, 2, 2)
    put(...both(5))
    const [one, two] = [take()!, take()!]
    settle(one.token, EGRESS_DOWN)
    settle(two.token, EGRESS_DOWN)
    expect(take()).toBeNull()
    clock.advance(1_000)
    const probe = take()!
    expect(probe.attempt).toBe(1)
    expect(take()).toBeNull()
    settle(probe.token, DONE)
    expect(take()).not.toBeNull()
    expect(take()).not.toBeNull()
  })

  test('a job that brings the egress down while others go through pays for it, and is dead in the end', () => {
    put(job('bad'), job('good-0', { key: 'b.example' }))
    for (let at = 1; partition.status(clock.now()).dead === 0; at++) {
      expect(at).toBeLessThan(100)
      clock.advance(31_000)
      const work = take()
      if (work !== null) settle(work.token, work.idempotencyKey === 'bad' ? EGRESS_DOWN : DONE)
      put(job(`good-${at}`, { key: 'b.example' }))
    }
    expect(storage.dead(Number.MAX_SAFE_INTEGER, 1)[0]?.idem).toBe('bad')
  })

  test('what waits for a target longer than it may is dead', () => {
    configure({ retry: { maxAge: 10_000 } }, 1, 2)
    put(job('old'))
    clock.advance(10_001)
    expect(take()).toBeNull()
    expect(storage.dead(Number.MAX_SAFE_INTEGER, 1)[0]?.error).toBe('it waited too long')
  })
})

describe('[JOB-3] order per key', () => {
  beforeEach(() => configure({ ordering: 'per-key' }, 4, 2))

  test('one at a time, a retry blocks its key, priority overtakes in other keys only', () => {
    put(job('a-1'), job('a-2', { priority: 9 }), job('b-1', { key: 'b.example', priority: 9 }))
    const [b, a] = [take()!, take()!]
    expect([b.idempotencyKey, a.idempotencyKey]).toEqual(['b-1', 'a-1'])
    expect(take()).toBeNull()
    settle(a.token, FAILED)
    expect(take()).toBeNull()
    clock.advance(1_000)
    expect(run({ is: 'dead', error: 'no' })).toBe('a-1')
    expect(run()).toBe('a-2')
  })
})
