// One POST with the headers of Standard Webhooks. The answer's body is never read: only its status decides.
import { createHmac } from 'node:crypto'
import type { WebhookTarget } from '#server/app/delivery-ports.ts'
import { AnswerFailure } from '#server/domain/delivery/failure.ts'
import { REQUEST_LIMIT_MS } from './handler.ts'

export type Post = (target: WebhookTarget, message: { id: string; body: string; signal: AbortSignal }) => Promise<void>

const SECRET_PREFIX = 'whsec_'

export function signature(secret: string, id: string, seconds: number, body: string): string {
  const key = secret.startsWith(SECRET_PREFIX) ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64') : secret
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}

export const postSigned: Post = async ({ url, secret }, { id, body, signal }) => {
  const seconds = Math.floor(Date.now() / 1_000)
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'signal-feed',
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signature(secret, id, seconds, body),
    },
    body,
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]),
    redirect: 'manual',
  })
  await answer.body?.cancel()
  if (!answer.ok) throw answerFailure(answer, url)
}

/** Says where and what, without path or query: those may hold secrets. */
export function answerFailure(answer: Response, url: string): AnswerFailure {
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  const wait = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
  return new AnswerFailure(answer.status, `${answer.status} from ${new URL(url).host}`, wait)
}
