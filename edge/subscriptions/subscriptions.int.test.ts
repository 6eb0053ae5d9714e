// Publish and subscribe over HTTP on workerd: what reaches a session's stream, who may, and what becomes of sessions.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { type EdgeCaller, edgeCaller } from '#scripts/testing/edge-subscriber.ts'
import { edgeToken, TEST_KEYS, TEST_PROJECT } from '#scripts/testing/edge-tokens.ts'

const PATIENCE = { timeout: 30_000, interval: 100 }
let edge: Edge
let { call, subscribe, publish, items, topic } = {} as EdgeCaller
beforeAll(async () => {
  edge = await startTestEdge({ EDGE_PROJECT_KEYS: TEST_KEYS })
  ;({ call, subscribe, publish, items, topic } = await edgeCaller(edge.url))
})
afterAll(() => edge.stop())

describe('[SUB-2] subscribing and publishing', () => {
  test('a session hears what is published after it subscribed, and nothing from before', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await publish(source, { n: 0 })
    const answer = await subscribe(sessionId, source)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      ...{ sessionId, streamId: source, isNewSession: true, startOffset: expect.stringMatching(/_\d+7$/) },
      ...{ sessionStreamPath: `/v1/${TEST_PROJECT}/stream/session:${sessionId}`, expiresAt: expect.any(Number) },
    })
    const published = await publish(source, { n: 1 })
    expect(published.status).toBe(204)
    expect(Object.fromEntries(published.headers)).toMatchObject({
      'stream-fanout-count': '1',
      'stream-fanout-successes': '1',
      'stream-fanout-failures': '0',
      'stream-fanout-mode': 'inline',
    })
    expect(await items(sessionId)).toEqual([{ n: 1 }])
  })

  test('a session that listens to several topics has them all in one stream', async () => {
    const [one, two, sessionId] = [await topic(), await topic(), randomUUID()]
    const answer = await subscribe(sessionId, [one, two, 'topic:that-does-not-exist'])
    expect(answer.status).toBe(200)
    const joined = async () => {
      const info = (await (await call('GET', `session/${sessionId}`)).json()) as {
        subscriptions: { streamId: string }[]
      }
      return info.subscriptions.map(({ streamId }) => streamId).toSorted()
    }
    await expect.poll(joined, PATIENCE).toEqual([one, two].toSorted())
    await publish(one, { from: 1 })
    await publish(two, { from: 2 })
    expect(await items(sessionId)).toEqual([{ from: 1 }, { from: 2 }])
  })

  test('whoever unsubscribes hears nothing more; subscribing again starts from there', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    await publish(source, { n: 1 })
    expect((await call('DELETE', 'unsubscribe', { sessionId, streamId: source })).status).toBe(204)
    await publish(source, { n: 2 })
    expect((await subscribe(sessionId, source)).status).toBe(200)
    await publish(source, { n: 3 })
    expect(await items(sessionId)).toEqual([{ n: 1 }, { n: 3 }])
  })

  test('an unknown source, another content type and a bad body are refused and leave no session behind', async () => {
    const sessionId = randomUUID()
    expect((await subscribe(sessionId, 'topic:nobody')).status).toBe(404)
    expect((await call('GET', `session/${sessionId}`)).status).toBe(404)
    for (const body of [
      {},
      { sessionId: 'alice', streamId: 'topic:a' },
      { sessionId, streamId: 'session:x' },
      { sessionId, streamId: [] },
    ])
      expect((await call('POST', 'subscribe', body)).status).toBe(400)

    const [json, text] = [await topic(), `topic:${randomUUID()}`]
    await call('PUT', `stream/${text}`, undefined, { 'Content-Type': 'text/plain' })
    await subscribe(sessionId, json)
    expect((await subscribe(sessionId, text)).status).toBe(409)
    expect((await publish(text, { n: 1 })).status).toBe(409)
    expect((await publish('topic:nobody', { n: 1 })).status).toBe(404)
  })

  test('tokens: the origin changes subscriptions, a reader may only look at and touch its own session', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    const token = await edgeToken({ scope: 'read', stream: `session:${sessionId}` })
    const own = { Authorization: `Bearer ${token}` }
    expect((await call('GET', `session/${sessionId}`, undefined, own)).status).toBe(200)
    expect((await call('POST', `session/${sessionId}/touch`, undefined, own)).status).toBe(200)
    expect((await call('GET', `stream/session:${sessionId}`, undefined, own)).status).toBe(200)
    expect((await call('GET', `session/${randomUUID()}`, undefined, own)).status).toBe(403)
    expect((await call('DELETE', `session/${sessionId}`, undefined, own)).status).toBe(403)
    expect((await call('POST', 'subscribe', { sessionId, streamId: source }, own)).status).toBe(403)
    expect((await call('POST', `publish/${source}`, { n: 1 }, own)).status).toBe(403)
    expect((await call('POST', `publish/${source}`, { n: 1 }, { Authorization: '' })).status).toBe(401)
  })
})

describe('[SUB-2] what is too large, and what is another’s', () => {
  test('bodies past their limit are refused, and nothing is stored', async () => {
    const source = await topic()
    const large = 'x'.repeat(8 * 1024 * 1024)
    expect((await publish(source, large)).status).toBe(413)
    expect(await (await call('GET', `stream/${source}`)).json()).toEqual([])
    const tooMany = Array.from({ length: 501 }, (_, n) => `topic:${n}`)
    expect((await subscribe(randomUUID(), tooMany)).status).toBe(400)
    expect((await call('POST', 'subscribe', 'x'.repeat(600_000))).status).toBe(413)
    expect((await call('POST', `publish/${source}`)).status).toBe(400)
  })

  test('a token of one project reaches no topic and no session of another, not even to learn that it exists', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    const elsewhere = `${edge.url}/v1/other`
    const headers = { Authorization: `Bearer ${await edgeToken()}`, 'Content-Type': 'application/json' }
    const ask = async (method: string, path: string, body?: unknown) =>
      (await fetch(`${elsewhere}/${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })).status
    expect(await ask('POST', `publish/${source}`, { n: 1 })).toBe(401)
    expect(await ask('POST', 'subscribe', { sessionId, streamId: source })).toBe(401)
    expect(await ask('GET', `session/${sessionId}`)).toBe(401)
    expect(await items(sessionId)).toEqual([])
    // The other way round: the name is free there, and means another stream.
    expect((await publish(`${source}-of-nobody`, { n: 1 })).status).toBe(404)
  })
})

describe('[SUB-3] publishing twice', () => {
  test('a repeated publish stores once and brings listeners what an unfinished one left behind', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    await publish(source, { n: 1 }, { 'Stream-Seq': '01' })
    // As if the worker had died between the source and its listeners.
    await call('POST', `stream/${source}`, { n: 2 }, { 'Stream-Seq': '02' })
    expect(await items(sessionId)).toEqual([{ n: 1 }])
    expect((await publish(source, { n: 2 }, { 'Stream-Seq': '02' })).status).toBe(409)
    await expect.poll(() => items(sessionId), PATIENCE).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('a producer may repeat itself', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    const stamp = { 'Producer-Id': 'relay', 'Producer-Epoch': '0', 'Producer-Seq': '0' }
    expect((await publish(source, { n: 1 }, stamp)).status).toBe(200)
    expect((await publish(source, { n: 1 }, stamp)).status).toBe(204)
    expect(await items(sessionId)).toEqual([{ n: 1 }])
  })
})

describe('[SUB-4] nothing lost, nothing repeated, nothing out of order', () => {
  test('what was missed between two publishes is pulled from the source', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await subscribe(sessionId, source)
    for (const n of [1, 2]) await call('POST', `stream/${source}`, { n })
    await publish(source, { n: 3 })
    expect(await items(sessionId)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  test('many publishers at once: each listener has the source, in its order', async () => {
    const source = await topic()
    const sessions = Array.from({ length: 5 }, () => randomUUID())
    await Promise.all(sessions.map((sessionId) => subscribe(sessionId, source)))
    await Promise.all(Array.from({ length: 60 }, (_, n) => publish(source, { n })))
    const log = await (await call('GET', `stream/${source}`)).json()
    expect(log).toHaveLength(60)
    for (const sessionId of sessions) await expect.poll(() => items(sessionId), PATIENCE).toEqual(log)
  })

  test('subscribing in the middle of a burst misses nothing after its start', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    const burst = Promise.all(Array.from({ length: 40 }, (_, n) => publish(source, { n })))
    const { startOffset } = (await (await subscribe(sessionId, source)).json()) as { startOffset: string }
    await burst
    const rest = await (await call('GET', `stream/${source}?offset=${startOffset}`)).json()
    await expect.poll(() => items(sessionId), PATIENCE).toEqual(rest)
  })
})

describe('[SUB-6] sessions that are gone', () => {
  test('leave the list at the next publish', async () => {
    const source = await topic()
    const [stays, goes] = [randomUUID(), randomUUID()]
    await subscribe(stays, source)
    await subscribe(goes, source)
    expect((await call('DELETE', `session/${goes}`)).status).toBe(204)
    expect((await call('DELETE', `session/${goes}`)).status).toBe(404)
    expect((await publish(source, { n: 1 })).headers.get('Stream-Fanout-Count')).toBe('1')
    expect(await items(goes)).toBe(404)
  })
})

describe('[SUB-8] counted', () => {
  test('events are in the words of Prometheus', async () => {
    const text = await (await fetch(`${edge.url}/metrics`)).text()
    for (const event of ['publish', 'subscribe', 'session_create', 'http', 'fanout'])
      expect(text).toMatch(new RegExp(`^subscriptions_events_total\\{event="${event}".*\\} \\d+$`, 'm'))
    expect(text).toMatch(/^edge_worker_up\{worker="subscriptions"\} 1$/m)
    expect(text).toMatch(/^streams_requests_total\{method="PUT",status="2xx"\} [1-9]/m)
    expect(text).toMatch(/^subscriptions_duration_seconds_bucket\{event="publish",le="\+Inf"\} \d+$/m)
  })
})
