// workerd is killed while jobs are in every state, and in the middle of a run full of faults.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Edge, startEdge } from '#scripts/edge/edge-process.ts'
import { OPEN_VARS } from '#scripts/testing/edge.ts'
import { startTestEgress, type TestEgress } from '#scripts/testing/egress.ts'
import { freePort } from '#scripts/testing/postgres-server.ts'
import { seededRandom } from '#shared/clock.ts'
import type { DeadPage } from './core/status.ts'

const PATIENCE = { timeout: 90_000, interval: 100 }
const LIMIT_MS = 150_000
const QUICK = { routing: 'hash', hashKey: 'key', timeout: 800, rebalance: 'manual' }
const RETRY = { baseDelay: 20, maxDelay: 200, maxAttempts: 12 }
let directory: string
let port: number
let edge: Edge
let egress: TestEgress
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sf-jobs-'))
  ;[port, egress] = await Promise.all([freePort(), startTestEgress()])
  await start()
})
afterAll(async () => {
  await edge.stop()
  await egress.stop()
  await rm(directory, { recursive: true, force: true })
})

async function start(): Promise<void> {
  const JOBS_CONFIG = JSON.stringify({ ...QUICK, concurrency: 6, partitions: 3, retry: RETRY })
  edge = await startEdge({ port, directory, vars: { ...OPEN_VARS, EGRESS_URL: egress.url, JOBS_CONFIG } })
}
const crash = async () => {
  await edge.kill()
  await start()
}
const ask = (method: string, path: string, body?: unknown) =>
  fetch(`${edge.url}/v1/default/jobs${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
const job = (more: Record<string, unknown> = {}) => ({
  ...{ type: 'webhook', key: 'a.example', payload: {}, idempotencyKey: randomUUID() },
  ...more,
})
async function unfinished(): Promise<number> {
  const text = await (await fetch(`${edge.url}/metrics`)).text()
  const lines = text.matchAll(/^jobs_(?:queue_depth|active)\{.*\} (\d+)$/gm)
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}
const dead = async () => ((await (await ask('GET', '/dead?limit=200')).json()) as DeadPage).letters

test(
  '[JOB-12] a crash in every state: nothing is lost, and only what was under way is tried again',
  async () => {
    const names = ['processing', 'retrying', 'delayed', 'dead', 'done', 'queued'] as const
    const all = Object.fromEntries(
      names.map((name) => [
        name,
        job({ payload: { name }, ...(name === 'delayed' ? { runAt: Date.now() + 4_000 } : {}) }),
      ]),
    )
    let crashed = false
    egress.answer(async ({ payload: { name }, attempt }) => {
      if (crashed || name === 'done') return { outcome: 'done' }
      if (name === 'processing') await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
      if (name === 'dead') return { outcome: 'dead', error: 'no' }
      return { outcome: 'retry', retryAfterMs: attempt > 0 ? 3_000 : 0 }
    })
    const handIn = (...jobs: unknown[]) => ask('POST', '', jobs)
    await handIn(all.dead, all.done, all.retrying, all.delayed)
    await expect.poll(() => egress.calls.length, PATIENCE).toBe(3)
    await expect.poll(async () => (await dead()).length, PATIENCE).toBe(1)
    await handIn(all.processing)
    await expect.poll(() => egress.calls.length, PATIENCE).toBe(4)
    await handIn(all.queued)
    crashed = true
    await crash()
    expect((await handIn(...Object.values(all))).status).toBe(202)
    await expect.poll(unfinished, PATIENCE).toBe(0)
    const attempts = (name: string) =>
      egress.calls.filter(({ payload }) => payload.name === name).map(({ attempt }) => attempt)
    expect(attempts('processing')).toEqual([1, 2])
    expect(attempts('retrying')).toEqual([1, 2])
    expect(attempts('delayed')).toEqual([1])
    expect(attempts('done')).toEqual([1])
    expect(attempts('dead')).toEqual([1])
    expect(attempts('queued').at(-1)).toBeLessThanOrEqual(2)
    expect((await dead()).map(({ payload }) => payload)).toEqual([{ name: 'dead' }])
    await ask('POST', '/dead/discard', { all: true })
  },
  LIMIT_MS,
)

test(
  '[JOB-12] random faults, repeats, a resize and a crash: each accepted job ends once, order and limit hold',
  async () => {
    const random = seededRandom(42)
    await ask('PUT', '/config', { ...QUICK, concurrency: 6, partitions: 3, ordering: 'per-key', retry: RETRY })
    const jobs = Array.from({ length: 600 }, (_, at) => job({ key: `host-${at % 23}.example`, payload: { at } }))
    const ended = new Map<string, 'done' | 'dead'>()
    const perKey = new Map<unknown, number[]>()
    const wrong: string[] = []
    egress.calls.length = 0
    egress.answer(async ({ idempotencyKey, payload }) => {
      const at = Number(payload.at)
      const before = perKey.get(at % 23) ?? []
      // Whoever is still open of this key came before us.
      if (before.some((other) => other > at)) wrong.push(`${at} after ${before.at(-1)}`)
      perKey.set(at % 23, [...before, at])
      await new Promise((resolve) => setTimeout(resolve, random() * 8))
      const roll = random()
      if (roll < 0.004) return null
      if (roll < 0.1) return { outcome: 'retry', error: 'no' }
      const outcome = roll < 0.13 ? 'dead' : 'done'
      ended.set(idempotencyKey, outcome)
      return { outcome, error: 'never' }
    })
    egress.forgetMost()
    for (let at = 0; at < jobs.length; at += 50) {
      const part = jobs.slice(at, at + 50)
      // Some of them twice, as by a client that did not hear the answer.
      await expect.poll(async () => (await ask('POST', '', part)).status, PATIENCE).toBe(202)
      if (random() < 0.3) await ask('POST', '', part)
    }
    await expect.poll(() => egress.calls.length, PATIENCE).toBeGreaterThan(200)
    expect(egress.mostAtOnce()).toBeLessThanOrEqual(6)
    await ask('PUT', '/config', { ...QUICK, concurrency: 4, partitions: 4, ordering: 'per-key', retry: RETRY })
    await expect.poll(() => egress.calls.length, PATIENCE).toBeGreaterThan(400)
    await crash()
    await expect.poll(unfinished, PATIENCE).toBe(0)
    expect(egress.mostAtOnce()).toBeLessThanOrEqual(6)
    expect(wrong).toEqual([])
    expect(ended.size).toBe(jobs.length)
    const letters = (await dead()).map(({ idempotencyKey }) => idempotencyKey)
    const gaveUp = [...ended].filter(([, how]) => how === 'dead').map(([name]) => name)
    expect(letters.toSorted()).toEqual(gaveUp.toSorted())
    // Nobody comes again but those whose answer was lost with the process.
    const calls = egress.calls.length
    expect((await (await ask('POST', '', jobs.slice(0, 500))).json()) as object).toMatchObject({ duplicates: 500 })
    expect(egress.calls.length).toBe(calls)
  },
  LIMIT_MS,
)
