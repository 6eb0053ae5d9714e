// Counts attempts per key in fixed windows, in Postgres, so that all processes and restarts see the same count. One
// statement counts and reads, which leaves no moment in which parallel guesses could slip through.
import { createHash } from 'node:crypto'
import { ipKeyGenerator } from 'express-rate-limit'
import type pg from 'pg'
import { ATTEMPT_SWEEP_EVERY } from '#server/config/tuning.ts'
import type { Clock, Random } from '#shared/clock.ts'

export type Limit = { max: number; windowSeconds: number }
export type Attempts = {
  /** Null when allowed, otherwise the seconds to wait. */
  count: (key: string, limit: Limit) => Promise<number | null>
  forget: (key: string) => Promise<void>
}

export function createAttempts(pool: pg.Pool, clock: Clock, random: Random): Attempts {
  return {
    async count(key, limit) {
      const now = clock.now()
      const { rows } = await pool.query<{ count: number; resets_at: Date }>(
        `insert into auth_attempts as a (key, count, resets_at) values ($1, 1, $3)
         on conflict (key) do update set
           count = case when a.resets_at <= $2 then 1 else a.count + 1 end,
           resets_at = case when a.resets_at <= $2 then excluded.resets_at else a.resets_at end
         returning count, resets_at`,
        [key, new Date(now), new Date(now + limit.windowSeconds * 1000)],
      )
      if (random() * ATTEMPT_SWEEP_EVERY < 1)
        await pool.query('delete from auth_attempts where resets_at <= $1', [new Date(now)])
      const row = rows[0]!
      return row.count <= limit.max ? null : Math.max(1, Math.ceil((row.resets_at.getTime() - now) / 1000))
    },
    async forget(key) {
      await pool.query('delete from auth_attempts where key = $1', [key])
    },
  }
}

/** With AUTH_THROTTLE=off, for automated browsers on one machine. */
export const noLimits: Attempts = { count: async () => null, forget: async () => {} }

/** One IPv6 customer owns a whole subnet: counted as one address. Zone ids are local names, not addresses. */
export const addressKey = (action: string, address: string): string =>
  `${action}:address:${ipKeyGenerator(address.replace(/%.*$/, ''))}`

/** The e-mail is hashed: the table then says nothing about who was tried. */
export const accountKey = (action: string, email: string): string =>
  `${action}:account:${createHash('sha256').update(email.toLowerCase()).digest('base64url')}`
