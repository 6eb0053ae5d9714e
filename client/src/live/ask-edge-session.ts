// Asks the server for this browser's session at the edge: a new one, or the one it has, prolonged.
import type { EdgeSession } from '#shared/edge-session.ts'
import type { AskedSession } from './edge-stream.ts'

const LIMIT_MS = 20_000

export async function askEdgeSession(send: typeof fetch, session: string | null): Promise<AskedSession> {
  try {
    const answer = await send('/api/trpc/live.session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(session === null ? {} : { session }),
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    if (answer.status === 401) return 'signed-out'
    if (!answer.ok) return 'failed'
    const body = (await answer.json()) as { result: { data: EdgeSession } }
    return body.result.data
  } catch {
    // No network, a timeout, or a page of some proxy.
    return 'failed'
  }
}
