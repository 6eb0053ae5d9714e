// Sessions at the edge in Postgres. A plan is made under a lock on the person's row, which every change of what they follow
// or may see also takes: a change is either in the plan, or it comes after the plan can be found.
import type pg from 'pg'
import type { EdgePlan, EdgeSessionStore } from '#server/app/edge-ports.ts'
import { mayView } from './feed-sql.ts'
import { followedBy } from './topic-store.ts'
import { inTransaction, type Queryable } from './transaction.ts'

export type EdgeSessionTimes = {
  /** As long as the edge keeps a session that nobody asks about. */
  leaseMs: number
  /** How long whoever has claimed one keeps it; longer than a request to the edge may take. */
  claimMs: number
  /** How long after its end something may still be on its way to the edge. */
  lingerMs: number
  /** Sessions of one sign-in; the oldest end for a new one. */
  perLogin: number
}

const LIVE = 'ended_at is null and expires_at > now()'
const later = (parameter: string) => `now() + ${parameter} * interval '1 millisecond'`

type Owner = { id: string; userId: string; loginSession: string }

export function createEdgeSessionStore(pool: pg.Pool, times: EdgeSessionTimes): EdgeSessionStore {
  const ids = async (condition: string, values: unknown[]): Promise<string[]> => {
    const { rows } = await pool.query<{ id: string }>(`select id from edge_sessions where ${condition}`, values)
    return rows.map(({ id }) => id)
  }

  /** Null when the sign-in is over, or the session is somebody else's. */
  async function write(tx: Queryable, { id, userId, loginSession }: Owner, prolong: boolean): Promise<EdgePlan | null> {
    await tx.query('select 1 from users where id = $1 for share', [userId])
    const signedIn = await tx.query('select 1 from sessions where id = $1 and user_id = $2 and expires_at > now()', [
      loginSession,
      userId,
    ])
    if (signedIn.rowCount === 0) return null
    const followed = (await followedBy(tx, [userId])).get(userId)!
    const topics = followed.topics.map((topic) => topic.id)
    const { rows } = await tx.query<{ applied: number | null }>(
      `insert into edge_sessions as e (id, user_id, login_session, topics, planned_version, expires_at, retry_at)
       values ($1, $2, $3, $4, $5, ${later('$6')}, ${later('$7')})
       on conflict (id) do update set topics = array(select distinct unnest(e.topics || excluded.topics)),
         planned_version = excluded.planned_version, expires_at = case when $8 then excluded.expires_at else e.expires_at end, retry_at = excluded.retry_at
       where e.user_id = excluded.user_id and e.login_session = excluded.login_session and e.ended_at is null
       returning applied_version as applied`,
      [id, userId, loginSession, topics, followed.version, times.leaseMs, times.claimMs, prolong],
    )
    return rows[0] ? { id, userId, version: followed.version, topics, appliedVersion: rows[0].applied } : null
  }

  return {
    open: ({ id, freshId, userId, loginSession }) =>
      inTransaction(pool, async (tx) => {
        const known = await write(tx, { id, userId, loginSession }, true)
        if (known) return known
        await tx.query(
          `update edge_sessions set ended_at = now(), retry_at = now() where id in (
             select id from edge_sessions where login_session = $1 and ended_at is null
             order by expires_at desc offset $2)`,
          [loginSession, times.perLogin - 1],
        )
        return write(tx, { id: freshId, userId, loginSession }, true)
      }),

    plan: (id) =>
      inTransaction(pool, async (tx) => {
        const { rows } = await tx.query<Omit<Owner, 'id'>>(
          `select user_id as "userId", login_session as "loginSession" from edge_sessions where id = $1 and ${LIVE}`,
          [id],
        )
        return rows[0] ? write(tx, { id, ...rows[0] }, false) : null
      }),

    async applied({ id, version, topics }) {
      // A plan that was made meanwhile may hold more than this one.
      await pool.query(
        `update edge_sessions set applied_version = $2,
           topics = case when planned_version = $2 then $3::int[] else topics end
         where id = $1 and coalesce(applied_version, -1) <= $2`,
        [id, version, topics],
      )
    },

    isLive: async (id) => (await ids(`id = $1 and ${LIVE}`, [id])).length > 0,
    of: (userId) => ids(`user_id = $1 and ${LIVE}`, [userId]),
    ofLogin: (loginSession) => ids('login_session = $1 and ended_at is null', [loginSession]),
    withoutRights: (topicId) =>
      ids(`topics @> array[$1::int] and ${LIVE} and not ${mayView('$1::int', 'edge_sessions.user_id')}`, [topicId]),

    async claim(limit) {
      const { rows } = await pool.query<{ id: string }>(
        `update edge_sessions set retry_at = ${later('$2')} where id in (
           select e.id from edge_sessions e
           left join users u on u.id = e.user_id
           left join sessions s on s.id = e.login_session and s.expires_at > now()
           where e.retry_at <= now() and (e.ended_at is not null or e.expires_at <= now() or s.id is null
             or e.applied_version is distinct from u.follows_version)
           order by e.retry_at limit $1 for update of e skip locked) returning id`,
        [limit, times.claimMs],
      )
      return rows.map(({ id }) => id)
    },

    async release(id) {
      await pool.query('update edge_sessions set retry_at = now() where id = $1 and ended_at is null', [id])
    },

    async end(id) {
      const { rows } = await pool.query<{ over: boolean }>(
        `update edge_sessions set ended_at = coalesce(ended_at, now()), retry_at = ${later('$2')}
         where id = $1 returning ended_at <= now() - $2 * interval '1 millisecond' as over`,
        [id, times.lingerMs],
      )
      return rows[0]?.over ?? true
    },

    async remove(id) {
      await pool.query('delete from edge_sessions where id = $1', [id])
    },
  }
}
