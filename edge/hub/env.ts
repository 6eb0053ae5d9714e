// What the hub's Worker is given by the platform. Settings are texts; they are read here and nowhere else.
import type { AuthEnv } from '../lib/project-jwt-auth.ts'
import type { BroadcastJob } from './core/broadcast.ts'
import {
  ADMISSION_PROFILES,
  type AdmissionProfile,
  BROADCAST_QUEUE_ABOVE,
  DEFAULT_SHARDS,
  MAX_ACTORS,
} from './core/tuning.ts'
import type { RingRpc, ShardRpc } from './rpc.ts'

export type HubEnv = AuthEnv & {
  SIGNAL_HUB: DurableObjectNamespace<ShardRpc>
  HUB_RING: DurableObjectNamespace<RingRpc>
  BROADCAST_QUEUE?: Queue<BroadcastJob>
  EDGE_CORS_ORIGINS?: string
  METRICS_TOKEN?: string
  /** `production`, `high-traffic` or `development`: how many connections a shard admits. */
  HUB_PROFILE?: string
  /** Shards of a project that has never changed its ring. */
  HUB_SHARDS?: string
  /** For tests: smaller limits. */
  HUB_MAX_ACTORS?: string
  HUB_QUEUE_ABOVE?: string
}

export function admissionRate(env: HubEnv): { perSecond: number; burst: number } {
  const name = env.HUB_PROFILE || 'production'
  return ADMISSION_PROFILES[Object.hasOwn(ADMISSION_PROFILES, name) ? (name as AdmissionProfile) : 'production']
}

export const firstShards = (env: HubEnv): number => Number(env.HUB_SHARDS || DEFAULT_SHARDS)
export const maxActors = (env: HubEnv): number => Number(env.HUB_MAX_ACTORS || MAX_ACTORS)
export const queueAbove = (env: HubEnv): number => Number(env.HUB_QUEUE_ABOVE || BROADCAST_QUEUE_ABOVE)
