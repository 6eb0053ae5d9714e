// Topics over ten shards: the origin's numbers, replay, rights that end, and events published by actors.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HubTokenWish, hubToken } from '#scripts/testing/edge-tokens.ts'
import { startTestHub, type TestActor, type TestHub } from '#scripts/testing/hub.ts'
import type { SharedMessage } from '#shared/hub/message.ts'
import { ownerOf, shardNames } from './core/ring.ts'

let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub()
})
afterAll(() => hub.stop())

const view = { version: 1, shards: shardNames(10), next: null, failed: [] }
let names = 0
async function listener(topic: string, wish: HubTokenWish = {}): Promise<TestActor> {
  const actor = await hub.connect({ topics: [topic], ...wish, actor: `@(browser/t${++names})` })
  await actor.register()
  await actor.ask('hub:subscribe', { topics: [{ topic }] })
  return actor
}
const newTopic = () => `topic:${randomUUID().slice(0, 8)}`
const publish = (topic: string, seq: number, more: object = {}) =>
  hub.post(`topics/${topic}/publish`, { seq, message: { type: 'activity', payload: { seq } }, ...more })
const seqOf = (message: SharedMessage) => (message.payload as { seq: number }).seq
async function untilSeq(actor: TestActor, seq: number): Promise<number[]> {
  const last = await actor.next((message) => message.type === 'hub:publish' && seqOf(message) === seq)
  const before = actor.heard.filter(({ type }) => type === 'hub:publish')
  actor.heard.splice(0)
  return [...before, last].map(seqOf)
}

describe('[HUB-6] a topic’s events', () => {
  test('reach listeners on every shard, once and in order, with the topic’s own numbers', async () => {
    const topic = newTopic()
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listener(topic)))
    expect(new Set(listeners.map(({ address }) => ownerOf(view, address))).size).toBeGreaterThan(4)
    for (let seq = 1; seq <= 20; seq++)
      expect(await (await publish(topic, seq)).json()).toEqual({ topic, seq, duplicate: false })
    const all = Array.from({ length: 20 }, (_, index) => index + 1)
    for (const actor of listeners) expect(await untilSeq(actor, 20)).toEqual(all)
  })

  test('a repeat is told from a new one, and what came late is not lost', async () => {
    const topic = newTopic()
    const actor = await listener(topic)
    for (const seq of [1, 3]) await publish(topic, seq)
    expect(await (await publish(topic, 3)).json()).toMatchObject({ duplicate: true })
    expect(await (await publish(topic, 2)).json()).toMatchObject({ duplicate: false })
    await publish(topic, 4)
    expect(await untilSeq(actor, 4)).toEqual([1, 3, 2, 4])
  })

  test('whoever was away gets the rest by replay; what is gone is said', async () => {
    const topic = newTopic()
    const actor = await listener(topic)
    for (let seq = 1; seq <= 300; seq += 50) for (let n = seq; n < seq + 50; n++) await publish(topic, n)
    const replay = async (since: number) =>
      (await actor.ask('hub:replay', { topic, since })).payload as {
        events: { seq: number }[]
        completeSince: number
        lastSeq: number
      }
    const recent = await replay(297)
    expect(recent).toMatchObject({ completeSince: 297, lastSeq: 300 })
    expect(recent.events.map(({ seq }) => seq)).toEqual([298, 299, 300])
    const old = await replay(0)
    expect(old.completeSince).toBe(44)
    expect(old.events).toHaveLength(256)
    const late = await hub.connect({ actor: `@(browser/t${++names})`, topics: [topic] })
    await late.register()
    late.say('hub:subscribe', { topics: [{ topic, since: 298 }] })
    expect(await late.next('hub:subscribed')).toMatchObject({ payload: { topics: [{ topic, lastSeq: 300 }] } })
    expect((await late.next('hub:replayed')).payload).toMatchObject({ topic, events: [{ seq: 299 }, { seq: 300 }] })
  })

  test('[HUB-7] an event that has expired is neither taken nor replayed', async () => {
    const topic = newTopic()
    const actor = await listener(topic)
    expect((await publish(topic, 1, { ttl: 10, timestamp: Date.now() - 1_000 })).status).toBe(410)
    await publish(topic, 2, { ttl: 1 })
    await untilSeq(actor, 2)
    await expect
      .poll(async () => ((await actor.ask('hub:replay', { topic, since: 0 })).payload as { events: unknown[] }).events)
      .toEqual([])
  })

  test('the owner may sleep or be evicted between any two events', async () => {
    const topic = newTopic()
    const actor = await listener(topic)
    for (let seq = 1; seq <= 6; seq++) {
      if (ownerOf(view, topic) !== ownerOf(view, actor.address))
        await hub.evict(ownerOf(view, topic), seq % 2 ? 'close' : 'hibernate')
      await hub.evict(ownerOf(view, actor.address), 'hibernate')
      await publish(topic, seq)
    }
    expect(await untilSeq(actor, 6)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('actors publish where they may; the hub numbers', async () => {
    const topic = newTopic()
    const [one, two] = [await listener(topic, { publish: [topic] }), await listener(topic)]
    const said = await one.ask(
      'hub:publish',
      { topic, message: { type: 'typing', payload: { on: true } } },
      { ttl: 5_000 },
    )
    expect(said).toMatchObject({ type: 'hub:published', payload: { topic, seq: 1, duplicate: false } })
    expect(await two.next('hub:publish')).toMatchObject({
      payload: { topic, seq: 1, from: one.address, ttl: 5_000, message: { type: 'typing', payload: { on: true } } },
    })
    expect(await two.ask('hub:publish', { topic, message: { type: 'typing' } })).toMatchObject({
      type: 'hub:unauthorized',
    })
  })

  test('bad bodies are refused', async () => {
    for (const body of [
      {},
      { seq: 0, message: { type: 'x' } },
      { seq: 1.5, message: { type: 'x' } },
      { message: { type: 'hub:x' } },
      { seq: 1 },
    ])
      expect((await hub.post('topics/t/publish', body)).status).toBe(400)
    expect((await hub.post('topics/t/publish', { message: { type: 'x', payload: 'x'.repeat(300_000) } })).status).toBe(
      413,
    )
    expect((await hub.post('topics/a%2Fb/publish', { message: { type: 'x' } })).status).toBe(404)
  })
})

describe('[HUB-21] rights that end', () => {
  test('an event that takes them back is the first that they do not get', async () => {
    const topic = newTopic()
    const [stays, goes] = [await listener(topic), await listener(topic)]
    await publish(topic, 1)
    await publish(topic, 2, { revoke: [goes.address] })
    await publish(topic, 3)
    expect(await untilSeq(stays, 3)).toEqual([1, 2, 3])
    expect(await goes.next('hub:unsubscribed')).toMatchObject({
      payload: { topics: [topic], reason: 'rights_withdrawn' },
    })
    await goes.ask('hub:heartbeat', {})
    expect(goes.heard.filter(({ type }) => type === 'hub:publish').map(seqOf)).toEqual([1])
    // The token from before opens it no more, on whatever shard; neither does asking for the past.
    expect(await goes.ask('hub:subscribe', { topics: [{ topic, since: 0 }] })).toMatchObject({
      payload: { refused: [{ topic, reason: 'unauthorized' }] },
    })
    expect(await goes.ask('hub:replay', { topic, since: 0 })).toMatchObject({ type: 'hub:unauthorized' })
  })

  test('the origin takes them back without an event, also for those who are not there yet', async () => {
    const topic = newTopic()
    const [actor, other] = [await listener(topic), await listener(topic)]
    const late = `@(browser/t${++names})`
    expect((await hub.post('revoke', { topic, actors: [actor.address, late] })).status).toBe(204)
    await publish(topic, 1)
    expect(await untilSeq(other, 1)).toEqual([1])
    await actor.ask('hub:heartbeat', {})
    expect(actor.heard.filter(({ type }) => type === 'hub:publish')).toEqual([])
    const comes = await hub.connect({ actor: late, topics: [topic] })
    await comes.register()
    expect(await comes.ask('hub:subscribe', { topics: [{ topic }] })).toMatchObject({
      payload: { topics: [], refused: [{ topic }] },
    })
  })

  test('a token from afterwards gives them again', async () => {
    const topic = newTopic()
    const actor = await listener(topic, { issuedSecondsAgo: 10 })
    await hub.post('revoke', { topic, actors: [actor.address], at: Date.now() - 5_000 })
    const token = await hubToken({ actor: actor.address, topics: [topic] })
    expect(await actor.ask('hub:subscribe', { topics: [{ topic }], token })).toMatchObject({
      payload: { topics: [{ topic }] },
    })
    await publish(topic, 1)
    expect(await untilSeq(actor, 1)).toEqual([1])
  })

  test('a subscription ends with the token that gave it', async () => {
    const topic = newTopic()
    const actor = await hub.connect({ actor: `@(browser/t${++names})` })
    await actor.register()
    const token = await hubToken({ actor: actor.address, topics: [topic], seconds: 2 })
    await actor.ask('hub:subscribe', { topics: [{ topic }], token })
    await publish(topic, 1)
    expect(await untilSeq(actor, 1)).toEqual([1])
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    await publish(topic, 2)
    await actor.ask('hub:heartbeat', {})
    expect(actor.heard.filter(({ type }) => type === 'hub:publish')).toEqual([])
  })
})
