// Requests to streams, counted: by method and class of status, with the time to the head of the answer. Live reads wait
// on purpose and have a row of their own, or they would hide how fast the others are. How many of those are held at this
// moment is known too, and how often objects of streams were started or woken, which tells whether quiet ones sleep.
import { count, define, observeMs, setGauge } from '../lib/metrics.ts'

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const
const STATUSES = ['2xx', '3xx', '4xx', '5xx'] as const
const LIVE = 'live'

const children = [...METHODS, LIVE].flatMap((method) => STATUSES.map((status) => ({ method, status })))
define('counter', 'streams_requests_total', 'Requests to streams, by method and class of status.', children)
define(
  'histogram',
  'streams_request_duration_seconds',
  'Time to the head of the answer, by method.',
  [...METHODS, LIVE].map((method) => ({ method })),
)

define('counter', 'streams_object_starts_total', 'Objects of streams that were started or woken.')
const READERS = 'streams_live_readers'
define('gauge', READERS, 'Live reads that are held.', [{ mode: 'sse' }, { mode: 'long-poll' }])

const held = { sse: 0, 'long-poll': 0 }

export function countReader(mode: keyof typeof held, by: 1 | -1): void {
  held[mode] += by
  setGauge(READERS, held[mode], { mode })
}

export const recordStart = (): void => count('streams_object_starts_total')

export function recordRequest(request: Request, { status }: Response, tookMs: number): void {
  const { searchParams } = new URL(request.url)
  const method = searchParams.has('live') ? LIVE : METHODS.find((known) => known === request.method)
  if (method === undefined) return
  count('streams_requests_total', { method, status: `${Math.floor(status / 100)}xx` })
  observeMs('streams_request_duration_seconds', tookMs, { method })
}
