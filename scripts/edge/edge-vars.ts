// What the Workers are told on a developer's machine: the project `default` is open to anybody on it, as the public
// conformance suite needs; the product's own project takes tokens that are signed with a key made from AUTH_SECRET.
import { createHmac } from 'node:crypto'

/** The product's streams live in this project. */
export const EDGE_PROJECT = 'feed'
const KEY_ID = 'origin'
/** Says what the derived key is for, so that it is useful for nothing else. */
const PURPOSE = 'signal-feed edge tokens v1'

export function edgeVars(authSecret: string): Record<string, string> {
  const k = createHmac('sha256', authSecret).update(PURPOSE).digest('base64url')
  const key = { kty: 'oct', alg: 'HS256', kid: KEY_ID, k }
  return {
    EDGE_OPEN_PROJECT: 'default',
    EDGE_CORS_ORIGINS: '*',
    EDGE_LOCAL_WEBHOOKS: 'on',
    EDGE_PROJECT_KEYS: JSON.stringify({ [EDGE_PROJECT]: { keys: [key] } }),
  }
}
