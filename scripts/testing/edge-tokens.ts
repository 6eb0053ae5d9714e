// Tokens for the edge as an origin server would make them, and as a forger would.
import { base64url, SignJWT } from 'jose'

export const TEST_PROJECT = 'acme'
const SECRET = new TextEncoder().encode('a secret of the tests that is long enough')
const OLD_SECRET = new TextEncoder().encode('the secret before it, which still counts')

const jwk = (kid: string, secret: Uint8Array) => ({ kty: 'oct', alg: 'HS256', kid, k: base64url.encode(secret) })

/** For the edge's `EDGE_PROJECT_KEYS`: two keys, as while one replaces the other. */
export const TEST_KEYS = JSON.stringify({
  [TEST_PROJECT]: { keys: [jwk('new', SECRET), jwk('old', OLD_SECRET)] },
  other: { keys: [jwk('other', new TextEncoder().encode('of somebody else, and as long as ours'))] },
})

export type TokenWish = {
  project?: string
  scope?: string
  stream?: string
  seconds?: number
  kid?: string
  secret?: Uint8Array
  audience?: string
}

export function edgeToken(wish: TokenWish = {}): Promise<string> {
  const { project = TEST_PROJECT, scope = 'write', stream, seconds = 60, kid = 'new', audience } = wish
  const secret = wish.secret ?? (kid === 'old' ? OLD_SECRET : SECRET)
  return new SignJWT({ project, scope, ...(stream === undefined ? {} : { stream }) })
    .setProtectedHeader({ alg: 'HS256', kid })
    .setAudience(audience ?? 'signal-feed-edge')
    .setIssuedAt()
    .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
    .sign(secret)
}

export type HubTokenWish = {
  actor?: string
  capabilities?: string[]
  topics?: string[]
  publish?: string[]
  broadcast?: boolean
  project?: string
  seconds?: number
  issuedSecondsAgo?: number
  kid?: string
  secret?: Uint8Array
}

/** A token for an actor of the hub. */
export function hubToken(wish: HubTokenWish = {}): Promise<string> {
  const { project = TEST_PROJECT, seconds = 240, issuedSecondsAgo = 0, kid = 'new', secret = SECRET, ...claims } = wish
  const now = Math.floor(Date.now() / 1_000)
  return new SignJWT({ project, scope: 'hub', ...claims })
    .setProtectedHeader({ alg: 'HS256', kid })
    .setAudience('signal-feed-edge')
    .setIssuedAt(now - issuedSecondsAgo)
    .setExpirationTime(now + seconds)
    .sign(secret)
}
