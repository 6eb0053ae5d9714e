// Fan-out while sessions cannot be reached: publishing goes on, and afterwards nothing is missing anywhere.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge, WITH_FAULTS } from '#scripts/testing/edge.ts'
import { type EdgeCaller, edgeCaller } from '#scripts/testing/edge-subscriber.ts'
import { TEST_KEYS } from '#scripts/testing/edge-tokens.ts'

const PATIENCE = { timeout: 100_000, interval: 250 }
const LIMIT_MS = 120_000
let edge: Edge
let { call, subscribe, publish, items, topic } = {} as EdgeCaller
beforeAll(async () => {
  edge = await startTestEdge(
    { EDGE_PROJECT_KEYS: TEST_KEYS, EDGE_BREAKER_MS: '2000', EDGE_QUEUE_THRESHOLD: '20' },
    WITH_FAULTS,
  )
  ;({ call, subscribe, publish, items, topic } = await edgeCaller(edge.url))
})
afterAll(() => edge.stop())

const cut = () => call('PUT', 'stream/faults')
const mend = () => call('DELETE', 'stream/faults')

async function listeners(source: string, count: number): Promise<string[]> {
  const sessions = Array.from({ length: count }, () => randomUUID())
  const answers = await Promise.all(sessions.map((sessionId) => subscribe(sessionId, source)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  return sessions
}

describe('[SUB-5] while sessions cannot be reached', () => {
  test(
    'the breaker opens, publishing succeeds all the while, and everybody is caught up, in order and once',
    async () => {
      const source = await topic()
      const sessions = await listeners(source, 8)
      await publish(source, { n: 0 })
      await cut()
      const modes: (string | null)[] = []
      for (let n = 1; n <= 9; n++) {
        const answer = await publish(source, { n })
        expect(answer.status).toBe(204)
        modes.push(answer.headers.get('Stream-Fanout-Mode'))
      }
      expect(modes.slice(0, 5)).toEqual(Array(5).fill('inline'))
      expect(modes.slice(5)).toContain('circuit-open')
      expect(await items(sessions[0]!)).toEqual([{ n: 0 }])
      await mend()
      const log = await (await call('GET', `stream/${source}`)).json()
      expect(log).toHaveLength(10)
      for (const sessionId of sessions) await expect.poll(() => items(sessionId), PATIENCE).toEqual(log)
    },
    LIMIT_MS,
  )
})

describe('[SUB-3] many listeners', () => {
  test(
    'go through the queue; what it redelivers or gives up is neither lost nor doubled',
    async () => {
      const source = await topic()
      const sessions = await listeners(source, 60)
      const first = await publish(source, { n: 1 })
      expect(first.headers.get('Stream-Fanout-Mode')).toBe('queued')
      expect(first.headers.get('Stream-Fanout-Count')).toBe('60')
      await cut()
      await publish(source, { n: 2 })
      await publish(source, { n: 3 })
      await mend()
      await publish(source, { n: 4 })
      const wanted = [1, 2, 3, 4].map((n) => ({ n }))
      await expect.poll(() => Promise.all(sessions.map(items)), PATIENCE).toEqual(sessions.map(() => wanted))
    },
    LIMIT_MS,
  )
})
