// Who a session cookie belongs to, by one signature and one query. better-auth's own way (two queries built anew, a key
// imported for each signature) costs more than the rest of a call; it is still asked whenever there is something to do
// beyond looking: an unknown cookie, an ended session, one that is due to be prolonged.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type pg from 'pg'
import { SESSION_RENEW_SECONDS, SESSION_SECONDS } from '#server/config/tuning.ts'
import type { Clock } from '#shared/clock.ts'
import { type Me, role } from '#shared/person.ts'

export type FoundSession = { person: Me; sessionId: string }

type Row = Omit<Me, 'followsVersion'> & { session_id: string; expires_at: Date; follows_version: number }

/** Null: ask the library. `cookie` as the browser sends it: `token.signature`, percent-encoded. */
export function createSessionLookup({ pool, secret, clock }: { pool: pg.Pool; secret: string; clock: Clock }) {
  return async (cookie: string): Promise<FoundSession | null> => {
    const token = signedToken(cookie, secret)
    if (token === null) return null
    const { rows } = await pool.query<Row>({
      name: 'session_of_token',
      text: `select s.id as session_id, s.expires_at, u.id, u.handle, u.name, u.email, u.role, u.follows_version
             from sessions s join users u on u.id = s.user_id where s.token = $1`,
      values: [token],
    })
    const [row] = rows
    if (!row || isDue(row.expires_at, clock.now())) return null
    const { session_id: sessionId, id, handle, name, email, follows_version: followsVersion } = row
    return { sessionId, person: { id, handle, name, email, role: role.parse(row.role), followsVersion } }
  }
}

function signedToken(cookie: string, secret: string): string | null {
  const value = decoded(cookie)
  const dot = value.lastIndexOf('.')
  if (dot < 1) return null
  const token = value.slice(0, dot)
  const given = Buffer.from(value.slice(dot + 1), 'base64')
  const expected = createHmac('sha256', secret).update(token).digest()
  return given.length === expected.length && timingSafeEqual(given, expected) ? token : null
}

function decoded(cookie: string): string {
  try {
    return decodeURIComponent(cookie)
  } catch {
    // No cookie of ours.
    return ''
  }
}

/** Ended, or old enough to be prolonged. */
const isDue = (expiresAt: Date, now: number): boolean =>
  expiresAt.getTime() - (SESSION_SECONDS - SESSION_RENEW_SECONDS) * 1_000 <= now
