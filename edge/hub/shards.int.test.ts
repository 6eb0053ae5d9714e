// Ten shards as one hub: messages, broadcasts and discovery across them, and their figures.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HubTokenWish } from '#scripts/testing/edge-tokens.ts'
import { startTestHub, type TestActor, type TestHub } from '#scripts/testing/hub.ts'
import { ownerOf, shardNames } from './core/ring.ts'

const view = { version: 1, shards: shardNames(10), next: null, failed: [] }
let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub({ HUB_QUEUE_ABOVE: '250' })
})
afterAll(() => hub.stop())

async function registered(actor: string, wish: HubTokenWish = {}, registration = {}): Promise<TestActor> {
  const one = await hub.connect({ ...wish, actor })
  expect(await one.register(registration)).toMatchObject({ type: 'hub:registered' })
  return one
}
/** So many actors of one shard, by their names alone. */
const namesOn = (shard: string, count: number): string[] =>
  Array.from({ length: 100_000 }, (_, n) => `@(${shard.replace('signal-hub-', '')}/${n})`)
    .filter((name) => ownerOf(view, name) === shard)
    .slice(0, count)

describe('[HUB-16] across shards', () => {
  test('asks and tells keep their order, repeats get the same answer, and the inbox is the target’s', async () => {
    const [a, b] = [namesOn('signal-hub-shard-0', 1)[0]!, namesOn('signal-hub-shard-7', 1)[0]!]
    const [one, two] = [await registered(a), await registered(b)]
    for (let n = 0; n < 60; n++) one.tell(b, 'n', { n }, { pattern: n % 2 ? 'ask' : 'tell' })
    await two.next(({ payload }) => (payload as { n?: number }).n === 59)
    const heard = two.heard.filter(({ type }) => type === 'n').map(({ payload }) => (payload as { n: number }).n)
    expect(heard).toEqual(Array.from({ length: 59 }, (_, n) => n))
    const first = await one.send(b, 'task', {}, { id: 'across' })
    expect((await one.send(b, 'task', {}, { id: 'across' })).payload).toEqual(first.payload)
    expect(await hub.rows('signal-hub-shard-7', "SELECT sender FROM inbox WHERE id = 'across'")).toEqual([
      { sender: a },
    ])
    expect(await one.send('@(nobody/here)', 'task', {})).toMatchObject({ type: 'hub:unknown_actor' })
  })

  test('discovery asks all of them', async () => {
    const place = `d${randomUUID().slice(0, 6)}`
    const names = Array.from({ length: 15 }, (_, n) => `@(${place}/${n})`)
    for (const name of names) await registered(name)
    const found = (await (await hub.post('discover', { pattern: `@(${place}/*)`, limit: 10 })).json()) as {
      actors: { actorAddress: string; registeredAt: number }[]
    }
    expect(found).toMatchObject({ hasMore: true, queriedShards: 10, partial: false })
    const times = found.actors.map(({ registeredAt }) => registeredAt)
    expect(times).toEqual(times.toSorted((x, y) => y - x))
    expect(new Set(found.actors.map(({ actorAddress }) => actorAddress)).size).toBe(10)
  })
})

describe('[HUB-13] broadcasts', () => {
  test('reach everybody with the capability on every shard, and are counted', async () => {
    const actors = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        registered(
          `@(cast/${n})`,
          { capabilities: ['screen'], broadcast: n === 0 },
          n < 10 ? { capabilities: ['screen'] } : {},
        ),
      ),
    )
    const [caster] = actors
    actors[9]!.close()
    await actors[9]!.closed
    const wish = { message: { type: 'notice', payload: 'hello' }, targetCapability: 'screen', excludeSelf: true }
    const ack = await caster!.ask('hub:broadcast', wish)
    expect(ack).toMatchObject({
      type: 'hub:broadcast_ack',
      payload: { deliveredCount: 8, queuedCount: 0, failedCount: 1 },
    })
    expect(await caster!.next('hub:broadcast_done')).toMatchObject({ payload: { deliveredCount: 8, failedCount: 1 } })
    for (const actor of actors.slice(1, 9))
      expect(await actor.next('notice')).toMatchObject({ to: '@(hub/everybody)', payload: 'hello' })
    for (const actor of [actors[0]!, actors[10]!]) {
      await actor.ask('hub:heartbeat', {})
      expect(actor.heard.some(({ type }) => type === 'notice')).toBe(false)
    }
    const origin = await hub.post('broadcast', { message: { type: 'banner' }, targetCapability: 'screen' })
    expect(await origin.json()).toMatchObject({ deliveredCount: 9, failedCount: 1 })
    expect(await actors[3]!.next('banner')).toMatchObject({ from: '@(server/origin)' })
  })

  test.each([
    ['slices, resumed by alarm after an eviction', 230, 'hibernate' as const],
    ['the queue above its threshold', 270, null],
  ])(
    'many of one shard get it once: %s',
    async (_, count, interrupt) => {
      const shard = interrupt === null ? 'signal-hub-shard-4' : 'signal-hub-shard-5'
      const actors: TestActor[] = []
      for (const name of namesOn(shard, count)) {
        const actor = await hub.connect({ actor: name, capabilities: ['crowd'] })
        actor.say('hub:register', { actorAddress: name, capabilities: [`crowd`] })
        await actor.next('hub:registered')
        actors.push(actor)
        if (actors.length % 90 === 0) await new Promise((resolve) => setTimeout(resolve, 300))
      }
      const id = randomUUID()
      const answer = await hub.post('broadcast', {
        id,
        message: { type: 'crowd', payload: id },
        targetCapability: 'crowd',
        ttl: 60_000,
      })
      const counts = (await answer.json()) as { deliveredCount: number; queuedCount: number }
      expect(counts.queuedCount).toBeGreaterThan(0)
      if (interrupt !== null) await hub.evict(shard, interrupt)
      for (const actor of actors) await actor.next(({ payload }) => payload === id)
      await expect.poll(() => hub.rows(shard, 'SELECT key FROM broadcasts'), { timeout: 20_000 }).toEqual([])
      for (const actor of actors) {
        expect(actor.heard.filter(({ payload }) => payload === id)).toEqual([])
        actor.close()
      }
    },
    120_000,
  )
})

describe('[HUB-19] figures', () => {
  test('every shard has them, as gauges and counters that survive sleep', async () => {
    const actor = await registered('@(figures/1)')
    const shard = ownerOf(view, actor.address)
    const read = async (name: string) => {
      const text = await (await fetch(`${hub.url}/metrics`)).text()
      const line = text.split('\n').find((one) => one.startsWith(`${name}{project="acme",shard="${shard}"`))
      return Number(line?.split(' ').at(-1))
    }
    expect(await read('signal_hub_actors')).toBeGreaterThan(0)
    expect(await read('signal_hub_connections_active')).toBeGreaterThan(0)
    const received = await read('signal_hub_messages_received_total')
    await hub.evict(shard, 'hibernate')
    expect(await read('signal_hub_messages_received_total')).toBe(received)
    const text = await (await fetch(`${hub.url}/metrics`)).text()
    for (const name of ['actors', 'capacity_utilization', 'connections_active', 'storage_bytes', 'queue_depth'])
      expect(text).toContain(`# TYPE signal_hub_${name} gauge`)
    for (const name of [
      'connection_attempts',
      'reconnections',
      'messages_received',
      'messages_sent',
      'registrations',
      'broadcasts',
      'errors',
    ])
      expect(text).toContain(`# TYPE signal_hub_${name}_total counter`)
    expect(text).toMatch(
      /^signal_hub_broadcast_latency_seconds_bucket\{project="acme",shard="[^"]+",le="\+Inf"\} [1-9]/m,
    )
  })
})
