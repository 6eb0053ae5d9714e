// The key with which the product and its edge know each other, made from AUTH_SECRET. Whoever runs the edge elsewhere
// puts this key into its registry (docs/EDGE.md).
import { createHmac } from 'node:crypto'

/** The product's streams live in this project. */
export const EDGE_PROJECT = 'feed'
/** Says what the derived key is for, so that it is useful for nothing else. */
const PURPOSE = 'signal-feed edge tokens v1'

export type EdgeKey = { kty: 'oct'; alg: 'HS256'; kid: string; k: string }

export function edgeKey(authSecret: string): EdgeKey {
  const k = createHmac('sha256', authSecret).update(PURPOSE).digest('base64url')
  return { kty: 'oct', alg: 'HS256', kid: 'origin', k }
}
