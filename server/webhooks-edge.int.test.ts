// Webhooks all the way: the product, the job partitions on workerd, and a receiver. Nobody here says when to try.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Edge, startEdge } from '#scripts/edge/edge-process.ts'
import { edgeVars } from '#scripts/edge/edge-vars.ts'
import { freePort } from '#scripts/testing/postgres-server.ts'
import { systemClock } from '#shared/clock.ts'
import { edgeKey } from './edge-client/edge-keys.ts'
import { createEdgeTokens } from './edge-client/edge-tokens.ts'
import { type Product, SECRET, startProduct, type TestPerson } from './testing/product.fixture.ts'

const PATIENT = { timeout: 60_000, interval: 100 }
const JOBS = {
  ...{ routing: 'hash', hashKey: 'key', timeout: 15_000, rebalance: 'manual' },
  retry: { baseDelay: 50, maxDelay: 200, maxAttempts: 8 },
}

describe('webhooks through the job partitions', () => {
  let product: Product
  let edge: Edge | null = null
  let directory: string
  let port: number
  let ada: TestPerson
  const received: { id: string; body: string; headers: Record<string, string> }[] = []
  let status = 200
  const receiver = createServer((req, res) => {
    let body = ''
    req.on('data', (part) => {
      body += part
    })
    req.on('end', () => {
      const headers = req.headers as Record<string, string>
      received.push({ id: headers['webhook-id']!, body, headers })
      res.writeHead(status).end()
    })
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    directory = await mkdtemp(join(tmpdir(), 'sf-webhooks-'))
    port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const tokens = createEdgeTokens(edgeKey(SECRET), systemClock)
    product = await startProduct('postgres', { privateWebhooks: true, edge: { url, publicUrl: null, tokens } })
    ada = await product.person('ada')
    await ada.call('topics.create', { name: 'project/open' })
  })
  afterAll(async () => {
    await product.stop()
    await edge?.stop()
    receiver.close()
    await rm(directory, { recursive: true, force: true })
  })

  const startIt = async () => {
    const vars = {
      ...edgeVars(SECRET),
      EGRESS_URL: `${product.base}/api/edge/egress`,
      JOBS_CONFIG: JSON.stringify(JOBS),
    }
    edge = await startEdge({ port, directory, vars })
  }

  it('[FEED-12] [JOB-3] what was published while the edge was away is delivered once it is there, and failures end by themselves', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const { endpoint, secret } = await ada.call('webhooks.create', { url, topic: 'project/open' })
    const said = ['one', 'two', 'three']
    for (const summary of said) await ada.call('activities.publish', { topic: 'project/open', verb: 'posted', summary })
    const states = async () =>
      (await ada.query('webhooks.deliveries', { endpoint: endpoint.id })).deliveries.map(
        ({ state }: { state: string }) => state,
      )
    await expect.poll(states, PATIENT).toEqual(['waiting', 'waiting', 'waiting'])
    expect(received).toEqual([])

    await startIt()
    await expect.poll(states, PATIENT).toEqual(['delivered', 'delivered', 'delivered'])
    const bodies = received.map(({ body, headers }) => new Webhook(secret).verify(body, headers)) as {
      data: { summary: string }
    }[]
    expect(bodies.map(({ data }) => data.summary).toSorted()).toEqual(said.toSorted())

    status = 500
    received.length = 0
    await ada.call('webhooks.test', { id: endpoint.id })
    await expect.poll(async () => received.length, PATIENT).toBeGreaterThanOrEqual(2)
    expect(new Set(received.map(({ id }) => id)).size).toBe(1)
    status = 204
    await expect.poll(states, PATIENT).toEqual(['delivered', 'delivered', 'delivered', 'delivered'])
  }, 180_000)
})
