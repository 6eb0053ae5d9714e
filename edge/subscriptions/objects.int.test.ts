// The objects of the subscription worker seen from inside: what they keep through sleep, how they part listeners among them,
// and what is swept up.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type EdgeHarness, startEdgeHarness } from '#scripts/testing/edge-harness.ts'
import { type EdgeCaller, edgeCaller } from '#scripts/testing/edge-subscriber.ts'
import { edgeToken, TEST_KEYS, TEST_PROJECT } from '#scripts/testing/edge-tokens.ts'

const PATIENCE = { timeout: 60_000, interval: 100 }
let edge: EdgeHarness
let { call, subscribe, publish, items, topic } = {} as EdgeCaller
beforeAll(async () => {
  edge = await startEdgeHarness({
    ...{ EDGE_PROJECT_KEYS: TEST_KEYS, EDGE_REPAIR_MS: '500', EDGE_BREAKER_MS: '1000' },
    ...{ EDGE_SHARD_SUBSCRIBERS: '10', EDGE_MAX_SUBSCRIBERS: '20' },
  })
  ;({ call, subscribe, publish, items, topic } = await edgeCaller(edge.url))
})
afterAll(() => edge.stop())
afterEach(() => edge.setFaults({}))

const objectOf = (id: string) => `${TEST_PROJECT}/${id}`
const rows = (name: string) => edge.sql('SUBSCRIPTION_DO', name, 'SELECT session_id FROM subscribers')
type Info = { subscriptions: { streamId: string; state: string }[] }
const info = async (sessionId: string) => (await (await call('GET', `session/${sessionId}`)).json()) as Info

describe('[SUB-1] through sleep', () => {
  test('who listens, to what, and how far they are is kept; objects that are not needed can sleep', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    await publish(source, { n: 1 })
    const sleep = () =>
      Promise.all([
        edge.evict('SUBSCRIPTION_DO', objectOf(source)),
        edge.evict('SESSION_DO', objectOf(sessionId)),
        edge.evict('STREAM_DO', objectOf(source)),
        edge.evict('STREAM_DO', objectOf(`session:${sessionId}`)),
      ])
    // Each was awake, and nothing held on to it.
    expect(await sleep()).toEqual([true, true, true, true])
    await publish(source, { n: 2 })
    expect(await items(sessionId)).toEqual([{ n: 1 }, { n: 2 }])
    expect((await info(sessionId)).subscriptions).toMatchObject([{ streamId: source, state: 'joined' }])
  })
})

describe('[SUB-3] a topic with very many listeners', () => {
  test('is parted among objects, and past the most is read directly, with a token of its own', async () => {
    const source = await topic()
    const sessions = Array.from({ length: 22 }, () => randomUUID())
    const answers = []
    for (const sessionId of sessions) answers.push(await (await subscribe(sessionId, source)).json())
    const direct = answers.map((answer) => (answer as { isDirect?: boolean }).isDirect === true)
    expect(direct).toEqual(sessions.map((_, at) => at >= 20))
    expect(await rows(objectOf(source))).toHaveLength(10)
    expect(await rows(`${objectOf(source)}#1`)).toHaveLength(10)

    const answer = await publish(source, { n: 1 })
    expect(answer.headers.get('Stream-Fanout-Count')).toBe('20')
    expect(answer.headers.get('Stream-Fanout-Successes')).toBe('20')
    for (const sessionId of sessions.slice(0, 20)) expect(await items(sessionId)).toEqual([{ n: 1 }])
    expect(await items(sessions[21]!)).toEqual([])
    expect((await info(sessions[21]!)).subscriptions).toMatchObject([{ streamId: source, state: 'direct' }])
    const Authorization = `Bearer ${await edgeToken({ scope: 'read', stream: source })}`
    expect(await (await call('GET', `stream/${source}`, undefined, { Authorization })).json()).toEqual([{ n: 1 }])
    expect((await call('GET', `stream/${await topic()}`, undefined, { Authorization })).status).toBe(403)

    // Somebody of the shard goes; who asks again is copied now.
    await call('DELETE', 'unsubscribe', { sessionId: sessions[15]!, streamId: source })
    expect(await (await subscribe(sessions[21]!, source)).json()).not.toHaveProperty('isDirect')
    await publish(source, { n: 2 })
    expect(await items(sessions[21]!)).toEqual([{ n: 2 }])
    expect(await items(sessions[15]!)).toEqual([{ n: 1 }])
  })

  test('a shard that lost its memory, and whatever failed there, is caught up like the first', async () => {
    const source = await topic()
    const sessions = Array.from({ length: 14 }, () => randomUUID())
    for (const sessionId of sessions) await subscribe(sessionId, source)
    await edge.setFaults({ deliver: 0.5, postLost: 0.5, seed: 5 })
    for (const n of [1, 2, 3, 4]) {
      await publish(source, { n })
      await edge.evict('SUBSCRIPTION_DO', `${objectOf(source)}#1`)
    }
    await edge.setFaults({})
    const log = await (await call('GET', `stream/${source}`)).json()
    expect(log).not.toEqual([])
    await expect.poll(() => Promise.all(sessions.map(items)), PATIENCE).toEqual(sessions.map(() => log))
  })
})

describe('[SUB-6] sessions that are gone', () => {
  test('leave the list, also when they are more than a statement has parameters', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    const ghosts = Array.from({ length: 150 }, () => `('${randomUUID()}', 1, 0)`).join(', ')
    await edge.sql('SUBSCRIPTION_DO', objectOf(source), `INSERT INTO subscribers VALUES ${ghosts}`)
    expect((await publish(source, { n: 1 })).headers.get('Stream-Fanout-Count')).toBe('151')
    expect(await rows(objectOf(source))).toEqual([{ session_id: sessionId }])
    expect(await items(sessionId)).toEqual([{ n: 1 }])
  })

  test('what was sent to the session before under the same name does not remove the one that came after', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    const generation = () =>
      edge
        .sql('SUBSCRIPTION_DO', objectOf(source), 'SELECT generation FROM subscribers')
        .then(([row]) => row?.generation)
    await subscribe(sessionId, source)
    const before = await generation()
    await call('DELETE', `session/${sessionId}`)
    await subscribe(sessionId, source)
    expect(await generation()).toBeGreaterThan(Number(before))
  })
})

describe('[SUB-4] a source that is deleted and made anew', () => {
  test('is heard from its new beginning, although its offsets were seen before', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    for (const n of [1, 2, 3]) await publish(source, { n })
    expect((await call('DELETE', `stream/${source}`)).status).toBe(204)
    expect((await call('PUT', `stream/${source}`)).status).toBe(201)
    await publish(source, { n: 10 })
    await publish(source, { n: 11 })
    await expect.poll(() => items(sessionId), PATIENCE).toEqual([1, 2, 3, 10, 11].map((n) => ({ n })))
  })
})

describe('[SUB-7] what was begun and not finished', () => {
  test('a subscribe that failed leaves no session, and no copies', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await edge.setFaults({ joinLost: 1 })
    expect((await subscribe(sessionId, source)).status).toBe(503)
    await edge.setFaults({})
    expect((await call('GET', `session/${sessionId}`)).status).toBe(404)
    expect(await items(sessionId)).toBe(404)
    expect((await publish(source, { n: 1 })).headers.get('Stream-Fanout-Count')).toBe('0')
  })

  test('one of a session that was there is undone by its alarm, and may be tried again', async () => {
    const [kept, failing, sessionId] = [await topic(), await topic(), randomUUID()]
    await subscribe(sessionId, kept)
    await edge.setFaults({ joinLost: 1 })
    expect((await subscribe(sessionId, failing)).status).toBe(503)
    await edge.setFaults({})
    const waiting = () =>
      edge.sql('SESSION_DO', objectOf(sessionId), `SELECT * FROM subscriptions WHERE state = 'leaving'`)
    await expect.poll(waiting, PATIENCE).toEqual([])
    expect((await info(sessionId)).subscriptions.map(({ streamId }) => streamId)).toEqual([kept])
    await publish(failing, { n: 1 })
    expect((await subscribe(sessionId, failing)).status).toBe(200)
    await publish(failing, { n: 2 })
    expect(await items(sessionId)).toEqual([{ n: 2 }])
  })

  test('a departure that failed is finished by the alarm', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    await edge.setFaults({ leave: 1 })
    expect((await call('DELETE', 'unsubscribe', { sessionId, streamId: source })).status).toBe(503)
    await edge.setFaults({})
    await expect.poll(() => rows(objectOf(source)), PATIENCE).toEqual([])
    await publish(source, { n: 1 })
    expect(await items(sessionId)).toEqual([])
  })
})

describe('[SUB-7] the sweeper', () => {
  test('ends a session whose own alarm did not, removes it everywhere, and leaves the living alone', async () => {
    const source = await topic()
    const [dead, alive] = [randomUUID(), randomUUID()]
    await subscribe(dead, source)
    await subscribe(alive, source)
    // As if its alarm had been lost long ago, and nobody had read since.
    const past = `json_set(body, '$.expiresMs', 1)`
    await edge.sql('SESSION_DO', objectOf(dead), `UPDATE session SET body = ${past}`)
    const stream = objectOf(`session:${dead}`)
    await edge.sql('STREAM_DO', stream, `UPDATE stream SET head = json_set(head, '$.usedMs', 1)`)
    await edge.evict('STREAM_DO', stream)
    const registry = await edge.registry()
    for (const id of [dead, alive]) await registry.put(`lease:${objectOf(id)}`, '', { metadata: { expiresMs: 1 } })
    await edge.sweep()
    expect((await call('GET', `session/${dead}`)).status).toBe(404)
    expect(await rows(objectOf(source))).toEqual([{ session_id: alive }])
    expect((await call('GET', `session/${alive}`)).status).toBe(200)
    const notes = async () => (await registry.list({ prefix: `lease:${objectOf(dead)}` })).keys
    await expect.poll(notes, PATIENCE).toEqual([])
  })
})
