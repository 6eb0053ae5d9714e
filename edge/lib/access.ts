// What a token opens, as a pure rule. A `write` token is the origin server's: everything in its project. A `read` token
// names one session stream, or one topic that has too many listeners to be copied, and opens reading that, for five minutes
// at most; nothing else, whoever asks.
import { z } from 'zod'

/** Longer than this a reader cannot go on without the origin's consent. */
export const MAX_READ_TOKEN_SECONDS = 300
/** Clocks of two machines may differ by this much. */
export const CLOCK_LEEWAY_SECONDS = 30

export const claimsSchema = z.object({
  project: z.string(),
  scope: z.enum(['read', 'write']),
  /** The one stream of a `read` token. */
  stream: z.templateLiteral([z.enum(['session', 'topic']), ':', z.string()]).optional(),
  exp: z.number(),
})
export type Claims = z.infer<typeof claimsSchema>

export type Wanted = {
  project: string
  right: 'read' | 'write'
  /** Null for what is not about one stream. */
  stream: string | null
}

export type Access =
  | { granted: true; expiresAtMs: number | null }
  | { granted: false; status: 401 | 403; reason: string }

export const denied = (status: 401 | 403, reason: string): Access => ({ granted: false, status, reason })

export function judgeAccess(claims: Claims, wanted: Wanted, nowMs: number): Access {
  if (claims.project !== wanted.project) return denied(403, 'the token is for another project')
  const granted: Access = { granted: true, expiresAtMs: claims.exp * 1_000 }
  if (claims.scope === 'write') return granted
  if (claims.exp * 1_000 > nowMs + (MAX_READ_TOKEN_SECONDS + CLOCK_LEEWAY_SECONDS) * 1_000)
    return denied(403, 'a read token must end within five minutes')
  if (wanted.right !== 'read') return denied(403, 'the token only reads')
  if (claims.stream === undefined || claims.stream !== wanted.stream)
    return denied(403, 'the token names another stream')
  return granted
}
