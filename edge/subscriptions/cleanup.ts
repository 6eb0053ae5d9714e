// The sweeper, every five minutes: sessions whose own alarm should have ended them and did not. Their leases are in the
// registry; nothing has to be asked of Analytics Engine.
import { systemClock } from '#shared/clock.ts'
import { CLEANUP_GRACE_MS, CLEANUP_MAX_SESSIONS, CLEANUP_SESSIONS } from './constants.ts'
import type { SubscriptionsEnv } from './env.ts'
import { LEASE_PREFIX, type Lease } from './lease-notes.ts'

/** How many were ended. */
export async function cleanupExpiredSessions(env: SubscriptionsEnv): Promise<number> {
  let ended = 0
  let tried = 0
  let cursor: string | undefined
  do {
    const page = await env.REGISTRY.list<Lease>({ prefix: LEASE_PREFIX, ...(cursor === undefined ? {} : { cursor }) })
    const overdue = page.keys.filter(({ metadata }) => isOverdue(metadata)).map(({ name }) => name)
    for (let at = 0; at < overdue.length && tried < CLEANUP_MAX_SESSIONS; at += CLEANUP_SESSIONS) {
      const part = overdue.slice(at, at + CLEANUP_SESSIONS)
      tried += part.length
      ended += await sweep(env, part)
    }
    cursor = page.list_complete ? undefined : page.cursor
  } while (cursor !== undefined && tried < CLEANUP_MAX_SESSIONS)
  return ended
}

const isOverdue = (lease: Lease | undefined): boolean =>
  lease !== undefined && lease.expiresMs + CLEANUP_GRACE_MS < systemClock.now()

async function sweep(env: SubscriptionsEnv, keys: string[]): Promise<number> {
  const results = await Promise.allSettled(
    keys.map(async (key) => {
      const gone = await env.SESSION_DO.getByName(key.slice(LEASE_PREFIX.length)).sweep()
      if (gone) await env.REGISTRY.delete(key)
      return gone
    }),
  )
  return results.filter((result) => result.status === 'fulfilled' && result.value).length
}
