// A poll with nothing new, answered before anything else of the server is touched: no Express, no tRPC, no Redis, no
// Postgres. Whatever is not certain takes the long way.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PollState } from './poll-state.ts'
import type { PollTokens } from './poll-token.ts'

const POLL_PATH = '/api/trpc/activities.getFeed?'

/** True: it was answered. */
export type PollShortcut = (req: IncomingMessage, res: ServerResponse) => boolean

export function createPollShortcut(
  state: PollState,
  tokens: PollTokens,
  onAnswered: (status: 304 | 429) => void,
): PollShortcut {
  return (req, res) => {
    const tag = req.headers['if-none-match']
    if (tag === undefined || req.method !== 'GET' || !isPoll(req.url)) return false
    const identity = tokens.read(req.headers.cookie)
    if (!identity || !state.believes(identity) || state.tagOf(identity.userId) !== tag) return false
    const waitSeconds = state.count(identity.sessionId)
    if (waitSeconds > 0) {
      res.writeHead(429, { 'Retry-After': waitSeconds, 'Cache-Control': 'no-store' })
      onAnswered(429)
    } else {
      res.writeHead(304, { ETag: tag, 'Cache-Control': 'private, no-cache' })
      onAnswered(304)
    }
    res.end()
    return true
  }
}

/** Only the exact shape that our client sends: one call, with `since`. */
const isPoll = (url: string | undefined): boolean =>
  url?.startsWith(POLL_PATH) === true && url.includes('%22since%22') && !url.includes('batch')
