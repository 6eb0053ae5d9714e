// One request to the edge as the origin server: our token, our project, a time limit. What the edge says about the
// request is an answer; not being let in is nothing about the request, and looks like an edge that is down.
import { AnswerFailure } from '#server/domain/delivery/failure.ts'
import { EDGE_PROJECT } from './edge-keys.ts'
import type { EdgeTokens } from './edge-tokens.ts'

const REQUEST_LIMIT_MS = 10_000

export type EdgeTarget = {
  url: string
  /** Where browsers reach it; null: they do not. */
  publicUrl: string | null
  tokens: EdgeTokens
}
export type EdgeCall = {
  method: string
  /** Below the project. */
  path: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}
export type EdgeReply = { status: number; headers: Headers; text: string }
export type EdgeCaller = (call: EdgeCall) => Promise<EdgeReply>

/** Keys are set up wrongly somewhere: that ends when somebody puts it right, and until then nothing is given up. */
export class NotLetIn extends Error {
  override readonly name = 'NotLetIn'
}

export function createEdgeCaller({ url, tokens }: Pick<EdgeTarget, 'url' | 'tokens'>): EdgeCaller {
  const base = `${url.replace(/\/+$/, '')}/v1/${EDGE_PROJECT}`
  const host = new URL(url).host
  return async ({ method, path, headers = {}, body, signal }) => {
    const limit = AbortSignal.timeout(REQUEST_LIMIT_MS)
    const answer = await fetch(base + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await tokens.write()}`, ...headers },
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      ...(body === undefined ? {} : { body }),
    })
    const reply = { status: answer.status, headers: answer.headers, text: await answer.text() }
    if (reply.status === 401 || reply.status === 403) throw new NotLetIn(`${reply.status} from the edge at ${host}`)
    return reply
  }
}

export function checkReply({ status }: EdgeReply, what: string): void {
  if (status < 200 || status >= 300) throw new AnswerFailure(status, `${status} from the edge for ${what}`)
}
