// How long a stream lives: for ever, a while after it was last used, or until a given moment.
import type { Refusal } from './refusal.ts'
import { refuse } from './refusal.ts'

export type Lifetime = { kind: 'endless' } | { kind: 'sliding'; ttlSeconds: number } | { kind: 'until'; atMs: number }

export const ENDLESS: Lifetime = { kind: 'endless' }

const TTL = /^(0|[1-9]\d{0,11})$/
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i
/** A sliding life is written down when it moved by this part of its length, so that reads seldom write. */
const NOTED_PART = 0.05

export function parseLifetime(ttl: string | null, expiresAt: string | null): Lifetime | Refusal {
  if (ttl !== null && expiresAt !== null) return refuse(400, 'Stream-TTL and Stream-Expires-At exclude each other')
  if (ttl !== null) {
    if (!TTL.test(ttl)) return refuse(400, 'Stream-TTL must be a whole number of seconds')
    return { kind: 'sliding', ttlSeconds: Number(ttl) }
  }
  if (expiresAt === null) return ENDLESS
  const atMs = RFC3339.test(expiresAt) ? Date.parse(expiresAt) : Number.NaN
  if (Number.isNaN(atMs)) return refuse(400, 'Stream-Expires-At must be an RFC 3339 time')
  return { kind: 'until', atMs }
}

/** When it ends if nobody uses it again; null for never. */
export function endsAtMs(lifetime: Lifetime, lastUsedMs: number): number | null {
  if (lifetime.kind === 'endless') return null
  return lifetime.kind === 'until' ? lifetime.atMs : lastUsedMs + lifetime.ttlSeconds * 1_000
}

export function isOver(lifetime: Lifetime, lastUsedMs: number, nowMs: number): boolean {
  const ends = endsAtMs(lifetime, lastUsedMs)
  return ends !== null && nowMs >= ends
}

export const worthNoting = (lifetime: Lifetime, notedMs: number, nowMs: number): boolean =>
  lifetime.kind === 'sliding' && nowMs - notedMs >= lifetime.ttlSeconds * 1_000 * NOTED_PART

export const sameLifetime = (one: Lifetime, other: Lifetime): boolean =>
  one.kind === other.kind && endsAtMs(one, 0) === endsAtMs(other, 0)
