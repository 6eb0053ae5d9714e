// What the Workers are told beside the product. Its own project takes tokens that are signed with a key made from
// AUTH_SECRET. On a developer's machine the project `default` is open to anybody on it besides, as the public conformance
// suite needs; in production nothing is.
import type { Env } from '#server/config/env.ts'
import { EDGE_PROJECT, edgeKey } from '#server/edge-client/edge-keys.ts'

/** The product that the edge stands beside: it does what the edge's jobs are about, and its pages read from the edge. */
type Product = Partial<Pick<Env, 'mode' | 'port' | 'publicOrigin'>>

export function edgeVars(
  authSecret: string,
  { mode = 'development', port = 3_000, publicOrigin = null }: Product = {},
): Record<string, string> {
  const own = {
    EGRESS_URL: `http://127.0.0.1:${port}/api/edge/egress`,
    EDGE_PROJECT_KEYS: JSON.stringify({ [EDGE_PROJECT]: { keys: [edgeKey(authSecret)] } }),
  }
  return mode === 'production'
    ? { ...own, EDGE_CORS_ORIGINS: publicOrigin ?? `http://localhost:${port}` }
    : { ...own, EDGE_OPEN_PROJECT: 'default', EDGE_CORS_ORIGINS: '*', EDGE_LOCAL_WEBHOOKS: 'on' }
}
