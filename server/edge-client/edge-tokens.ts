// Tokens for the edge. Our own for writing lives ten minutes and is made anew in good time; one for a browser opens
// reading one session stream, for five minutes at most, after which it has to come to us again.
import { SignJWT } from 'jose'
import type { Clock } from '#shared/clock.ts'
import { EDGE_PROJECT, type EdgeKey } from './edge-keys.ts'

const AUDIENCE = 'signal-feed-edge'
const WRITE_SECONDS = 600
/** Made anew when this much is left: longer than any request, and than clocks of two machines differ. */
const WRITE_LEFT_SECONDS = 120

export type EdgeTokens = {
  write: () => Promise<string>
  /** Null when we cannot make one: the edge is somebody else's, who gave us a token and not the key. */
  read: ((stream: string, seconds: number) => Promise<string>) | null
  /** For an actor of the hub; null as above. The hub takes none that lives longer than five minutes. */
  hub: ((grant: HubGrant, seconds: number) => Promise<string>) | null
}

/** What the hub lets an actor do (docs/HUB.md, Tokens). */
export type HubGrant = {
  /** An address, or a pattern with `*` when the actor chooses the rest of its name itself. */
  actor: string
  capabilities?: string[]
  /** May be subscribed to. */
  topics?: string[]
  /** May be published to. */
  publish?: string[]
  broadcast?: boolean
}

export const givenToken = (token: string): EdgeTokens => ({ write: async () => token, read: null, hub: null })

export function createEdgeTokens(key: EdgeKey, clock: Clock): EdgeTokens {
  const secret = Buffer.from(key.k, 'base64url')
  const nowSeconds = () => Math.floor(clock.now() / 1_000)
  const sign = (claims: Record<string, unknown>, seconds: number) =>
    new SignJWT({ project: EDGE_PROJECT, ...claims })
      .setProtectedHeader({ alg: key.alg, kid: key.kid })
      .setAudience(AUDIENCE)
      .setIssuedAt(nowSeconds())
      .setExpirationTime(nowSeconds() + seconds)
      .sign(secret)
  let own: { token: Promise<string>; until: number } | null = null
  return {
    write() {
      if (own === null || nowSeconds() > own.until - WRITE_LEFT_SECONDS)
        own = { token: sign({ scope: 'write' }, WRITE_SECONDS), until: nowSeconds() + WRITE_SECONDS }
      return own.token
    },
    read: (stream, seconds) => sign({ scope: 'read', stream }, seconds),
    hub: (grant, seconds) => sign({ scope: 'hub', ...grant }, seconds),
  }
}
