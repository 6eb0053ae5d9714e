// The directory's keys: an Ed25519 pair that signs webhooks, whose public half anybody may fetch, and a secret for the
// tokens of wakes. Both are made on first use and stay.
import {
  base64url,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import type { DirectoryStorage } from './directory-storage.ts'

const TOKEN_AUDIENCE = 'wake'
/** No lease is longer than ten minutes, and a wake is worth nothing without one. */
const TOKEN_LIFE = '1h'

export type PublicKey = { kty: string; crv: string; x: string; kid: string; use: 'sig'; alg: 'EdDSA' }

export class DirectoryKeys {
  readonly #storage: DirectoryStorage
  #signing: Promise<JWK> | null = null

  constructor(storage: DirectoryStorage) {
    this.#storage = storage
  }

  async publicKey(): Promise<PublicKey> {
    const { kty = '', crv = '', x = '', kid = '' } = await this.#signingKey()
    return { kty, crv, x, kid, use: 'sig', alg: 'EdDSA' }
  }

  /** The `Webhook-Signature` of a body sent at this second. */
  async signature(body: string, unixSeconds: number): Promise<string> {
    const jwk = await this.#signingKey()
    const key = await importJWK(jwk, 'EdDSA')
    if (key instanceof Uint8Array) throw new Error('the signing key is not a key pair')
    const signed = await crypto.subtle.sign('Ed25519', key, new TextEncoder().encode(`${unixSeconds}.${body}`))
    return `t=${unixSeconds},kid=${jwk.kid},ed25519=${base64url.encode(new Uint8Array(signed))}`
  }

  async wakeToken(subscription: string, generation: number): Promise<string> {
    return new SignJWT({ gen: generation })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(TOKEN_AUDIENCE)
      .setSubject(subscription)
      .setIssuedAt()
      .setExpirationTime(TOKEN_LIFE)
      .sign(this.#tokenSecret())
  }

  /** The generation that a token speaks for; null for a token that is not this subscription's. */
  async generationOf(token: string, subscription: string): Promise<number | null> {
    try {
      const rules = { audience: TOKEN_AUDIENCE, subject: subscription, algorithms: ['HS256'] }
      const { payload } = await jwtVerify(token, this.#tokenSecret(), rules)
      return typeof payload.gen === 'number' ? payload.gen : null
    } catch {
      // Every way in which a token can be wrong means the same to us.
      return null
    }
  }

  #tokenSecret(): Uint8Array {
    const known = this.#storage.secret('token')
    if (known !== null) return base64url.decode(known)
    const made = crypto.getRandomValues(new Uint8Array(32))
    this.#storage.putSecret('token', base64url.encode(made))
    return made
  }

  #signingKey(): Promise<JWK> {
    this.#signing ??= this.#loadSigningKey()
    return this.#signing
  }

  async #loadSigningKey(): Promise<JWK> {
    const known = this.#storage.secret('signing')
    if (known !== null) return JSON.parse(known) as JWK
    const { privateKey } = await generateKeyPair('EdDSA', { extractable: true })
    const jwk = await exportJWK(privateKey)
    const made = { ...jwk, kid: `ds_${await calculateJwkThumbprint(jwk)}` }
    this.#storage.putSecret('signing', JSON.stringify(made))
    return made
  }
}
