// The two servers of the Durable Streams protocol that are measured side by side: the edge on workerd as `npm run edge` runs
// it, and the protocol's reference server in Node, with its data in files, as ours are.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DurableStreamTestServer } from '@durable-streams/server'
import { startTestEdge } from '#scripts/testing/edge.ts'

export type StreamServer = { name: 'edge' | 'reference'; address: (id: string) => string; stop: () => Promise<void> }

export async function startStreamServers(): Promise<StreamServer[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sf-reference-'))
  const reference = new DurableStreamTestServer({ port: 0, dataDir })
  const [edge, url] = await Promise.all([startTestEdge(), reference.start()])
  return [
    { name: 'edge', address: (id) => `${edge.url}/v1/stream/${id}`, stop: edge.stop },
    {
      name: 'reference',
      address: (id) => `${url}/v1/stream/${id}`,
      stop: async () => {
        await reference.stop()
        await rm(dataDir, { recursive: true, force: true })
      },
    },
  ]
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

export async function makeStream(address: string): Promise<void> {
  const { status } = await fetch(address, { method: 'PUT', headers: JSON_TYPE })
  if (status !== 201) throw new Error(`the stream was not made: ${status}`)
}

/** How long the writer waits, in milliseconds. */
export async function append(address: string, body: string): Promise<number> {
  const startedMs = performance.now()
  const answer = await fetch(address, { method: 'POST', headers: JSON_TYPE, body })
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`not appended: ${answer.status}`)
  return performance.now() - startedMs
}
