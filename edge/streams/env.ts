// What the streams Worker is given by the platform. Settings are texts; they are read here and nowhere else.

import { BEAT_MS, HEARTBEAT_MS, LONG_POLL_MS, SSE_LIFE_MS } from './core/tuning.ts'
import type { DirectoryRpc, StreamRpc } from './rpc.ts'

export type StreamsEnv = {
  STREAM_DO: DurableObjectNamespace<StreamRpc>
  DIRECTORY_DO: DurableObjectNamespace<DirectoryRpc>
  /** Each project's keys, under `project:<name>`. */
  REGISTRY: KVNamespace
  /** A project that needs no token; for development and tests only. */
  EDGE_OPEN_PROJECT?: string
  /** Keys by project as JSON, for a machine without a filled registry. */
  EDGE_PROJECT_KEYS?: string
  /** Opens /metrics; without it they are closed where nothing is open. */
  METRICS_TOKEN?: string
  /** Origins whose pages may call us, parted by commas; `*` for all. */
  EDGE_CORS_ORIGINS?: string
  /** `on`: webhooks may go to this machine over plain HTTP; for development and tests only. */
  EDGE_LOCAL_WEBHOOKS?: string
  EDGE_LONG_POLL_MS?: string
  EDGE_HEARTBEAT_MS?: string
  EDGE_BEAT_MS?: string
  EDGE_SSE_LIFE_MS?: string
}

export const longPollMs = (env: StreamsEnv): number => Number(env.EDGE_LONG_POLL_MS || LONG_POLL_MS)
export const heartbeatMs = (env: StreamsEnv): number => Number(env.EDGE_HEARTBEAT_MS || HEARTBEAT_MS)
export const beatMs = (env: StreamsEnv): number => Number(env.EDGE_BEAT_MS || BEAT_MS)
export const sseLifeMs = (env: StreamsEnv): number => Number(env.EDGE_SSE_LIFE_MS || SSE_LIFE_MS)
