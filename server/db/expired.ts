// Rows that have served their time: idempotency keys that nobody repeats any more, sessions and sign-ins that ended.
import type pg from 'pg'

export type ExpiredRows = {
  /** At most `limit` of each kind; returns how many went. */
  remove: (times: { now: Date; keysBefore: Date }, limit: number) => Promise<number>
}

export function createExpiredRows(pool: pg.Pool): ExpiredRows {
  const remove = async (table: string, column: string, before: Date, limit: number) => {
    const { rowCount } = await pool.query(
      `delete from ${table} where ctid = any(array(select ctid from ${table} where ${column} < $1 limit $2))`,
      [before, limit],
    )
    return rowCount ?? 0
  }
  return {
    async remove({ now, keysBefore }, limit) {
      const keys = await remove('idempotency_keys', 'created_at', keysBefore, limit)
      const sessions = await remove('sessions', 'expires_at', now, limit)
      const verifications = await remove('verifications', 'expires_at', now, limit)
      return keys + sessions + verifications
    },
  }
}
