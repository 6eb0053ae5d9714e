// [STR-2] The public conformance suite of the Durable Streams protocol, whole, against the edge as `npm run edge` runs
// it: through the gateway, in workerd.
import { runConformanceTests } from '@durable-streams/server-conformance-tests'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'

const LONG_POLL_MS = 4_000
// The suite reads the address when a test runs, not when it is registered.
const suite = { baseUrl: '', longPollTimeoutMs: 30_000, subscriptions: true }

let edge: Edge
beforeAll(async () => {
  edge = await startTestEdge({ EDGE_LONG_POLL_MS: String(LONG_POLL_MS) })
  suite.baseUrl = edge.url
})
afterAll(() => edge.stop())

describe('[STR-2] Durable Streams conformance', () => {
  runConformanceTests(suite)

  test('the edge is still well afterwards', async () => {
    expect((await fetch(`${edge.url}/health`)).ok).toBe(true)
  })
})
