// The client against the real hub: what it promises while shards are evicted under it.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '#scripts/testing/hub.ts'
import { hubClient } from '#scripts/testing/hub-client.ts'
import type { SignalHubClient } from '#shared/hub/signal-hub-client.ts'
import { ownerOf, shardNames } from './core/ring.ts'

const PATIENCE = { timeout: 40_000, interval: 50 }
const view = { version: 1, shards: shardNames(3), next: null, failed: [] }
let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub({ HUB_SHARDS: '3' })
})
afterAll(() => hub.stop())

const started: SignalHubClient[] = []
afterEach(() => {
  for (const client of started.splice(0)) client.stop()
})
async function start(...[wish, events]: [Parameters<typeof hubClient>[1], Parameters<typeof hubClient>[2]?]) {
  const client = hubClient(hub.url, wish, events)
  started.push(client)
  client.start()
  await expect.poll(() => client.state, PATIENCE).toBe('ready')
  return client
}
const newAddress = () => `@(node/${randomUUID().slice(0, 8)})`

describe('[HUB-8] asking', () => {
  test('every ask is handled once and in the end, while the target’s shard is evicted again and again', async () => {
    const [one, two] = [newAddress(), newAddress()]
    const handled: number[] = []
    await start(
      { actor: two },
      {
        onMessage: ({ payload }) => {
          handled.push((payload as { n: number }).n)
        },
      },
    )
    const sender = await start({ actor: one })
    for (let round = 0; round < 4; round++) {
      const asks = Array.from({ length: 10 }, (_, n) =>
        sender.ask(two, 'task', { n: round * 10 + n }, { timeoutMs: 4_000, attempts: 6 }),
      )
      await hub.evict(ownerOf(view, two), round % 2 === 0 ? 'close' : 'hibernate')
      for (const ack of await Promise.all(asks)) expect(['delivered', 'queued']).toContain(ack.status)
    }
    await expect
      .poll(() => handled.toSorted((a, b) => a - b), PATIENCE)
      .toEqual(Array.from({ length: 40 }, (_, n) => n))
  })

  test('a handler that throws gets it again; one that has had it does not', async () => {
    const [one, two] = [newAddress(), newAddress()]
    let calls = 0
    const problems: Error[] = []
    const target = await start(
      { actor: two },
      {
        onMessage: () => {
          calls += 1
          if (calls === 1) throw new Error('not today')
        },
        onProblem: (error) => problems.push(error),
      },
    )
    const sender = await start({ actor: one })
    await sender.ask(two, 'task', {})
    await expect.poll(() => problems.length, PATIENCE).toBe(1)
    await hub.evict(ownerOf(view, two), 'close')
    await expect.poll(() => calls, PATIENCE).toBe(2)
    await expect.poll(() => target.state, PATIENCE).toBe('ready')
    await hub.evict(ownerOf(view, two), 'close')
    await expect.poll(() => target.state, PATIENCE).not.toBe('ready')
    await expect.poll(() => target.state, PATIENCE).toBe('ready')
    expect(calls).toBe(2)
    await expect(sender.ask('@(node/nobody)', 'task', {})).rejects.toMatchObject({
      code: 'unknown_actor',
      retryable: false,
    })
  })

  test('what is said while away waits, up to a number, and is sent on return', async () => {
    const [one, two] = [newAddress(), newAddress()]
    const heard: unknown[] = []
    await start({ actor: two }, { onMessage: ({ payload }) => void heard.push(payload) })
    const sender = await start({ actor: one })
    await hub.evict(ownerOf(view, one), 'close')
    await expect.poll(() => sender.state, PATIENCE).not.toBe('ready')
    const taken = Array.from({ length: 120 }, (_, n) => sender.tell(two, 'n', n, 60_000))
    expect(taken.filter(Boolean).length).toBe(100)
    // The target may have lost its socket as well.
    const acks = sender.ask(two, 'n', 'last', { timeoutMs: 5_000, attempts: 6 }).catch(() => null)
    await expect.poll(() => sender.state, PATIENCE).toBe('ready')
    await acks
    await expect.poll(() => sender.ask(two, 'n', 'last').then(({ status }) => status), PATIENCE).toBe('delivered')
    expect(heard.length).toBeGreaterThan(0)
  })
})

describe('[HUB-21] live activity', () => {
  test('published and received are the same set, in order, under evictions and reconnects', async () => {
    const topic = `topic:${randomUUID().slice(0, 8)}`
    const receivers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const seqs: number[] = []
        const gaps: unknown[] = []
        const events = {
          onTopic: ({ seq }: { seq: number }) => void seqs.push(seq),
          onGap: (...gap: unknown[]) => void gaps.push(gap),
        }
        const client = await start({ actor: newAddress(), topics: [topic] }, events)
        client.subscribe([{ topic, since: 0 }])
        return { seqs, gaps, client }
      }),
    )
    const all = Array.from({ length: 60 }, (_, index) => index + 1)
    for (const seq of all) {
      const publish = async () =>
        (await hub.post(`topics/${topic}/publish`, { seq, message: { type: 'activity', payload: { seq } } })).status
      await expect.poll(publish, PATIENCE).toBe(200)
      if (seq % 12 === 0) await hub.evict(shardNames(3)[(seq / 12) % 3]!, seq % 24 === 0 ? 'close' : 'hibernate')
    }
    for (const { seqs } of receivers) await expect.poll(() => seqs, PATIENCE).toEqual(all)
    expect(receivers.flatMap(({ gaps }) => gaps)).toEqual([])
  })

  test('a right that is taken back ends it, and the client says so', async () => {
    const topic = `topic:${randomUUID().slice(0, 8)}`
    const [seqs, ended]: [number[], string[]] = [[], []]
    const actor = newAddress()
    const client = await start(
      { actor, topics: [topic] },
      { onTopic: ({ seq }) => void seqs.push(seq), onTopicEnded: (_, reason) => void ended.push(reason) },
    )
    client.subscribe([{ topic, since: 0 }])
    const publish = (seq: number, more = {}) =>
      hub.post(`topics/${topic}/publish`, { seq, message: { type: 'x' }, ...more })
    await publish(1)
    await expect.poll(() => seqs, PATIENCE).toEqual([1])
    await publish(2, { revoke: [actor] })
    await publish(3)
    await expect.poll(() => ended, PATIENCE).toEqual(['rights_withdrawn'])
    await client.discover({ limit: 1 })
    expect(seqs).toEqual([1])
  })
})
