// What the Workers are told on a developer's machine: the project `default` is open to anybody on it, as the public
// conformance suite needs; the product's own project takes tokens that are signed with a key made from AUTH_SECRET.
import { EDGE_PROJECT, edgeKey } from '#server/edge-client/edge-keys.ts'

/** `productPort`: where the product listens on this machine; it does what the edge's jobs are about. */
export function edgeVars(authSecret: string, productPort = 3_000): Record<string, string> {
  return {
    EDGE_OPEN_PROJECT: 'default',
    EDGE_CORS_ORIGINS: '*',
    EDGE_LOCAL_WEBHOOKS: 'on',
    EGRESS_URL: `http://127.0.0.1:${productPort}/api/edge/egress`,
    EDGE_PROJECT_KEYS: JSON.stringify({ [EDGE_PROJECT]: { keys: [edgeKey(authSecret)] } }),
  }
}
