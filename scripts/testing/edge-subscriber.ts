// Publishing and subscribing at the edge as the origin server does it, for tests and benchmarks.
import { randomUUID } from 'node:crypto'
import { edgeToken, TEST_PROJECT } from './edge-tokens.ts'

export type Headers = Record<string, string>

export type EdgeCaller = {
  call: (method: string, path: string, body?: unknown, extra?: Headers) => Promise<Response>
  subscribe: (sessionId: string, streamId: string | string[]) => Promise<Response>
  publish: (streamId: string, body: unknown, extra?: Headers) => Promise<Response>
  /** What a session's stream holds, or the status that says why not. */
  items: (sessionId: string) => Promise<unknown[] | number>
  /** A new JSON stream to listen to. */
  topic: () => Promise<string>
}

export async function edgeCaller(url: string): Promise<EdgeCaller> {
  const token = await edgeToken({ seconds: 3_000 })
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const call: EdgeCaller['call'] = (method, path, body, extra = {}) =>
    fetch(`${url}/v1/${TEST_PROJECT}/${path}`, {
      method,
      headers: { ...headers, ...extra },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    call,
    subscribe: (sessionId, streamId) => call('POST', 'subscribe', { sessionId, streamId }),
    publish: (streamId, body, extra) => call('POST', `publish/${streamId}`, body, extra),
    items: async (sessionId) => {
      const response = await call('GET', `stream/session:${sessionId}`)
      return response.ok ? ((await response.json()) as unknown[]) : response.status
    },
    topic: async () => {
      const id = `topic:${randomUUID()}`
      const { status } = await call('PUT', `stream/${id}`)
      if (status !== 201) throw new Error(`the topic was not made: ${status}`)
      return id
    },
  }
}
