// Sessions as the live part sees them: does one still exist? Everything else about them is better-auth's.
import type pg from 'pg'
import type { SessionStore } from '#server/app/log-ports.ts'

export function createSessionStore(pool: pg.Pool): SessionStore {
  return {
    async ended(ids) {
      const { rows } = await pool.query<{ id: string }>(
        `select k.id from unnest($1::text[]) as k(id)
         where not exists (select 1 from sessions s where s.id = k.id and s.expires_at > now())`,
        [ids],
      )
      return new Set(rows.map(({ id }) => id))
    },
  }
}
