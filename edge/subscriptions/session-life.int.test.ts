// How sessions end, with a lease short enough to wait for.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { type EdgeCaller, edgeCaller } from '#scripts/testing/edge-subscriber.ts'
import { TEST_KEYS } from '#scripts/testing/edge-tokens.ts'

const TTL_SECONDS = 4
const PATIENCE = { timeout: 30_000, interval: 100 }
let edge: Edge
let { call, subscribe, publish, items, topic } = {} as EdgeCaller
beforeAll(async () => {
  edge = await startTestEdge({ EDGE_PROJECT_KEYS: TEST_KEYS, SESSION_TTL_SECONDS: String(TTL_SECONDS) })
  ;({ call, subscribe, publish, items, topic } = await edgeCaller(edge.url))
})
afterAll(() => edge.stop())

describe('[SUB-7] how long a session lives', () => {
  test('it ends on time although it is written to, and takes its stream along', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    const { expiresAt } = (await (await subscribe(sessionId, source)).json()) as { expiresAt: number }
    const gone = async () => {
      await publish(source, { at: Date.now() })
      return (await call('HEAD', `stream/session:${sessionId}`)).status
    }
    await expect.poll(gone, PATIENCE).toBe(404)
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    expect((await publish(source, { n: 1 })).headers.get('Stream-Fanout-Count')).toBe('0')
    expect((await call('GET', `session/${sessionId}`)).status).toBe(404)
  })

  test('a touch, or somebody who reads, keeps it', async () => {
    const source = await topic()
    const [touched, read] = [randomUUID(), randomUUID()]
    await subscribe(touched, source)
    await subscribe(read, source)
    const first = Date.now()
    const keep = async () => {
      expect((await call('POST', `session/${touched}/touch`)).status).toBe(200)
      expect(await items(read)).toEqual([])
      return Date.now() - first
    }
    await expect.poll(keep, { timeout: 30_000, interval: 500 }).toBeGreaterThan(2 * TTL_SECONDS * 1_000)
    expect((await call('GET', `session/${read}`)).status).toBe(200)
  })
})
