// What a sender may rely on, with the shard asleep, evicted or cut off at every point of the way.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HubTokenWish } from '#scripts/testing/edge-tokens.ts'
import { startTestHub, type TestActor, type TestHub } from '#scripts/testing/hub.ts'

const SHARD = 'signal-hub-shard-0'
let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub({ HUB_SHARDS: '1' })
})
afterAll(() => hub.stop())

let names = 0
type Registered = TestActor & { renewalToken: string }
async function registered(address = `@(browser/g${++names})`, renewalToken?: string, wish: HubTokenWish = {}) {
  const actor = (await hub.connect({ ...wish, actor: address })) as Registered
  const answer = await actor.register(renewalToken === undefined ? {} : { renewalToken })
  expect(answer).toMatchObject({ type: 'hub:registered' })
  actor.renewalToken = (answer.payload as { renewalToken: string }).renewalToken
  return actor
}
const comeBack = (actor: Registered) => registered(actor.address, actor.renewalToken)
async function leave(actor: TestActor) {
  actor.close()
  await actor.closed
}
const inbox = (actor: TestActor) =>
  hub.rows<{ id: string }>(SHARD, 'SELECT id FROM inbox WHERE target = ? ORDER BY n', actor.address)
const sleep = () => hub.evict(SHARD, 'hibernate')
const cut = () => hub.evict(SHARD, 'close')

describe('[HUB-4] tell and ask', () => {
  test('a tell arrives and leaves nothing behind; to nobody it is refused', async () => {
    const [one, two] = [await registered(), await registered()]
    one.tell(two.address, 'status', { idle: true }, { metadata: { traceId: 't' } })
    expect(await two.next('status')).toMatchObject({
      ...{ from: one.address, to: two.address, pattern: 'tell', payload: { idle: true }, metadata: { traceId: 't' } },
    })
    expect(await inbox(two)).toEqual([])
    await leave(two)
    const id = one.tell(two.address, 'status', {})
    expect(await one.next('hub:unknown_actor')).toMatchObject({
      correlationId: id,
      payload: { actorAddress: two.address },
    })
  })

  test('an ask stays in the inbox until the target itself acknowledges', async () => {
    const [one, two] = [await registered(), await registered()]
    const ack = await one.send(two.address, 'task', { n: 1 }, { id: 'ask-1' })
    expect(ack).toMatchObject({ type: 'hub:delivery_ack', payload: { messageId: 'ask-1', status: 'delivered' } })
    expect(await inbox(two)).toEqual([{ id: 'ask-1' }])
    await two.next('task')
    two.say('hub:ack', { messageId: 'ask-1', from: one.address })
    await expect.poll(() => inbox(two)).toEqual([])
  })

  test('nobody acknowledges for somebody else', async () => {
    const [one, two, three] = [await registered(), await registered(), await registered()]
    await one.send(two.address, 'task', {}, { id: 'ask-2' })
    three.say('hub:ack', { messageId: 'ask-2', from: one.address })
    two.say('hub:ack', { messageId: 'ask-2', from: three.address })
    await two.ask('hub:heartbeat', {})
    expect(await inbox(two)).toEqual([{ id: 'ask-2' }])
  })

  test.each([
    ['asleep', sleep],
    ['evicted', cut],
  ])('accepted → %s → delivered again until acknowledged', async (_, interrupt) => {
    const [one, two] = [await registered(), await registered()]
    const ack = await one.send(two.address, 'task', { n: 7 }, { id: 'ask-3' })
    await interrupt()
    if (interrupt === cut) await two.closed
    else await leave(two)
    const back = await comeBack(two)
    expect(await back.next('task')).toMatchObject({ id: 'ask-3', payload: { n: 7 } })
    // The sender did not hear the answer and repeats itself: the same answer, and no second copy.
    const again = interrupt === cut ? await comeBack(one) : one
    expect((await again.send(two.address, 'task', { n: 7 }, { id: 'ask-3' })).payload).toEqual(ack.payload)
    back.say('hub:ack', { messageId: 'ask-3', from: one.address })
    await expect.poll(() => inbox(two)).toEqual([])
    await interrupt()
    const third = interrupt === cut ? await comeBack(back) : back
    const sender = interrupt === cut ? await comeBack(again) : again
    expect((await sender.send(two.address, 'task', { n: 7 }, { id: 'ask-3' })).payload).toEqual(ack.payload)
    expect(third.heard.filter(({ type }) => type === 'task')).toEqual([])
  })

  test('the same id from another sender, or to another target, is another message', async () => {
    const [one, two, three] = [await registered(), await registered(), await registered()]
    await one.send(two.address, 'task', { from: 1 }, { id: 'same' })
    await three.send(two.address, 'task', { from: 3 }, { id: 'same' })
    await one.send(three.address, 'task', { from: 1 }, { id: 'same' })
    expect([await two.next('task'), await two.next('task')].map(({ payload }) => payload)).toEqual([
      { from: 1 },
      { from: 3 },
    ])
    expect(await three.next('task')).toMatchObject({ payload: { from: 1 } })
  })
})

describe('[HUB-5] somebody who is away', () => {
  test('asks wait in order, with sleep in between, and come before anything new', async () => {
    const [one, two] = [await registered(), await registered()]
    await leave(two)
    for (const n of [1, 2, 3]) {
      expect(await one.send(two.address, 'task', { n })).toMatchObject({ payload: { status: 'queued' } })
      await sleep()
    }
    const back = await comeBack(two)
    one.tell(two.address, 'task', { n: 4 })
    await one.send(two.address, 'task', { n: 5 })
    await back.next(({ payload }) => (payload as { n?: number }).n === 5)
    expect(back.heard.filter(({ type }) => type === 'task').map(({ payload }) => payload)).toEqual(
      [1, 2, 3, 4].map((n) => ({ n })),
    )
  })

  test('a hundred wait, no more; expired ones make room and are not delivered', async () => {
    const [one, two] = [await registered(), await registered()]
    await leave(two)
    await one.send(two.address, 'old', {}, { ttl: 1_500 })
    const answers = await Promise.all(Array.from({ length: 99 }, (_, n) => one.send(two.address, 'task', { n })))
    expect(answers.every(({ type }) => type === 'hub:delivery_ack')).toBe(true)
    expect(await one.send(two.address, 'task', {})).toMatchObject({ type: 'hub:unknown_actor' })
    await expect
      .poll(async () => (await one.send(two.address, 'task', { n: 99 })).type, { timeout: 10_000, interval: 300 })
      .toBe('hub:delivery_ack')
    const back = await comeBack(two)
    await back.next(({ payload }) => (payload as { n?: number }).n === 99)
    expect(back.heard.some(({ type }) => type === 'old')).toBe(false)
    expect(back.heard.filter(({ type }) => type === 'task').map(({ payload }) => payload)).toEqual(
      Array.from({ length: 99 }, (_, n) => ({ n })),
    )
  })
})

describe('[HUB-6] order', () => {
  test('two hundred messages of a pair arrive in the order they were sent, tells and asks alike', async () => {
    const [one, two] = [await registered(), await registered()]
    for (let n = 0; n < 90; n++) one.tell(two.address, 'n', { n }, { pattern: n % 3 === 0 ? 'ask' : 'tell' })
    await two.next(({ payload }) => (payload as { n?: number }).n === 89)
    expect(two.heard.filter(({ type }) => type === 'n').map(({ payload }) => (payload as { n: number }).n)).toEqual(
      Array.from({ length: 89 }, (_, n) => n),
    )
  })
})

describe('[HUB-9] what survives', () => {
  test('registrations, rights, subscriptions and the sockets themselves survive sleep', async () => {
    const one = await registered(undefined, undefined, { topics: ['t:1'], publish: ['t:1'] })
    const two = await registered(undefined, undefined, { topics: ['t:1'] })
    expect(await two.ask('hub:subscribe', { topics: [{ topic: 't:1' }] })).toMatchObject({ type: 'hub:subscribed' })
    await sleep()
    expect(await one.send(two.address, 'task', {})).toMatchObject({ payload: { status: 'delivered' } })
    await sleep()
    expect(await one.ask('hub:publish', { topic: 't:1', message: { type: 'x' } })).toMatchObject({
      payload: { seq: 1 },
    })
    expect(await two.next('hub:publish')).toMatchObject({ payload: { topic: 't:1', seq: 1 } })
    await sleep()
    expect(await two.ask('hub:subscribe', { topics: [{ topic: 't:2' }] })).toMatchObject({
      payload: { refused: [{ topic: 't:2' }] },
    })
  })

  test('an eviction loses no registration; everybody is back with a renewal token', async () => {
    const actors = await Promise.all(Array.from({ length: 20 }, () => registered()))
    await cut()
    await Promise.all(actors.map(({ closed }) => closed))
    const back = await Promise.all(actors.map(comeBack))
    expect(back).toHaveLength(20)
  })
})

describe('[HUB-12] a reader that stops reading', () => {
  test('its senders are paused, and go on when it has caught up', async () => {
    const [reader, ...senders] = await Promise.all(Array.from({ length: 7 }, () => registered()))
    // It hears, but gives no mark back.
    let _sent = 0
    for (const sender of senders) for (let n = 0; n < 190; n++, _sent++) sender.tell(reader!.address, 'n', { n })
    const last = senders.at(-1)!
    const pause = await last.next('hub:pause')
    expect(pause.payload).toEqual({ reason: 'outbound_queue_full', targetAddress: reader!.address })
    const marks = () =>
      reader!.heard
        .filter(({ type }) => type === 'hub:heartbeat')
        .map(({ payload }) => (payload as { mark: number }).mark)
    await expect.poll(() => marks().length).toBeGreaterThanOrEqual(4)
    reader!.say('hub:heartbeat', { mark: Math.max(...marks()) })
    expect(await last.next('hub:resume')).toMatchObject({ payload: { targetAddress: reader!.address } })
  })

  test('a pause does not outlive sleep', async () => {
    const [reader, ...senders] = await Promise.all(Array.from({ length: 7 }, () => registered()))
    for (const sender of senders) for (let n = 0; n < 190; n++) sender.tell(reader!.address, 'n', { n })
    await senders.at(-1)!.next('hub:pause')
    await sleep()
    await senders[0]!.ask('hub:heartbeat', {})
    expect(await senders.at(-1)!.next('hub:resume')).toBeDefined()
  })
})
