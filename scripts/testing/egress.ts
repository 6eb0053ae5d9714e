// The origin's side of jobs, for tests and benchmarks: answers as it is told, and watches how many it does at once.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type EgressCall = {
  jobId: string
  type: string
  attempt: number
  idempotencyKey: string
  leaseToken: string
  leaseUntil: number
  payload: Record<string, unknown>
}
/** A body for 200, an answer of its own, or null: the connection is cut. */
export type EgressAnswer = Record<string, unknown> | { status: number; body?: unknown } | null
export type Answerer = (call: EgressCall) => EgressAnswer | Promise<EgressAnswer>

export type TestEgress = {
  url: string
  calls: EgressCall[]
  /** Authorization headers, in the order of the calls. */
  tokens: (string | undefined)[]
  active: () => number
  mostAtOnce: () => number
  forgetMost: () => void
  answer: (answerer: Answerer) => void
  stop: () => Promise<void>
}

export const DONE: Answerer = () => ({ outcome: 'done' })

export async function startTestEgress(first: Answerer = DONE, keepCalls = true): Promise<TestEgress> {
  let answerer = first
  let active = 0
  let most = 0
  const calls: EgressCall[] = []
  const tokens: (string | undefined)[] = []
  const server = createServer(async (request, response) => {
    active++
    most = Math.max(most, active)
    let ended = false
    const end = () => {
      if (!ended) active--
      ended = true
    }
    response.on('close', end)
    const text = await textOf(request)
    // Whoever asked is gone before it had asked.
    if (text === null) return
    const call = JSON.parse(text) as EgressCall
    if (keepCalls) {
      calls.push(call)
      tokens.push(request.headers.authorization)
    }
    const answer = await answerer(call)
    // Before the answer leaves: whoever reads it may call again at once.
    end()
    if (answer === null) response.destroy()
    else {
      const { status, body } =
        'status' in answer ? (answer as { status: number; body?: unknown }) : { status: 200, body: answer }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
    }
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/edge/egress`,
    calls,
    tokens,
    active: () => active,
    mostAtOnce: () => most,
    forgetMost: () => {
      most = active
    },
    answer: (next) => {
      answerer = next
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function textOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = []
  try {
    for await (const part of request) parts.push(part as Buffer)
  } catch {
    return null
  }
  return Buffer.concat(parts).toString()
}
