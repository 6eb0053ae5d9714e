// The question "what is new since?" as a request that the server can answer from memory: one call, a GET, with the tag of
// the last answer. Not by tRPC's client, which knows neither tags nor an answer without a body.
import type { FeedPage } from '#shared/feed.ts'
import type { Timers } from './event-stream.ts'
import type { Answer } from './receiver.ts'
import { retryAfterMs } from './retry-after.ts'

/** A question into a connection that swallows everything would otherwise never end, and no other would follow it. */
export const POLL_TIMEOUT_MS = 20_000

type Deps = { fetch: typeof fetch; timers: Timers; now: () => number }

export async function askSince(
  { fetch, timers, now }: Deps,
  { since, tag }: { since: string; tag?: string },
): Promise<Answer> {
  const abort = new AbortController()
  const timeout = timers.set(() => abort.abort(), POLL_TIMEOUT_MS)
  try {
    const input = encodeURIComponent(JSON.stringify({ since }))
    const answer = await fetch(`/api/trpc/activities.getFeed?input=${input}`, {
      // The tag is ours to compare: the browser's own cache must neither add one nor answer for the server.
      cache: 'no-store',
      headers: tag === undefined ? {} : { 'if-none-match': tag },
      signal: abort.signal,
    })
    if (answer.status === 304) return { ok: true, page: null }
    if (!answer.ok)
      return {
        ok: false,
        signedOut: answer.status === 401,
        retryAfterMs: retryAfterMs(answer.headers.get('retry-after'), now()),
      }
    const body = (await answer.json()) as { result: { data: FeedPage } }
    return { ok: true, page: body.result.data, tag: answer.headers.get('etag') }
  } catch {
    // No network, a timeout, or a page of some proxy.
    return { ok: false, signedOut: false, retryAfterMs: null }
  } finally {
    timers.clear(timeout)
  }
}
