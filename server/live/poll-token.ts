// Lets a poll be recognised without asking the database: a signed cookie that says whose session it is, for a minute.
// A session that ends is known by its message (poll-state.ts), and at the latest when the minute is over.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#shared/clock.ts'

const TOKEN_MS = 60_000
/** Checked ones are remembered, so that the next poll does not compute the signature again. */
const REMEMBERED_MAX = 20_000

export type PollIdentity = { userId: string; sessionId: string; issuedAt: number }

export class PollTokens {
  readonly cookie: string
  readonly #secret: string
  readonly #clock: Clock
  #checked = new Map<string, PollIdentity>()

  constructor({ cookie, secret, clock }: { cookie: string; secret: string; clock: Clock }) {
    this.cookie = cookie
    this.#secret = secret
    this.#clock = clock
  }

  issue(userId: string, sessionId: string): string {
    const body = [userId, sessionId, this.#clock.now()].map((part) => encodeURIComponent(part)).join('.')
    return `${body}.${this.#sign(body)}`
  }

  /** As a Set-Cookie value. */
  setCookie(userId: string, sessionId: string, secure: boolean): string {
    const flags = `Path=/api/trpc; Max-Age=${TOKEN_MS / 1_000}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`
    return `${this.cookie}=${this.issue(userId, sessionId)}; ${flags}`
  }

  /** From a Cookie header; null when there is none, or it is forged or too old. */
  read(header: string | undefined): PollIdentity | null {
    const token = cookieValue(header, this.cookie)
    if (token === null) return null
    const identity = this.#checked.get(token) ?? this.#check(token)
    return identity && this.#clock.now() - identity.issuedAt < TOKEN_MS ? identity : null
  }

  #check(token: string): PollIdentity | null {
    const end = token.lastIndexOf('.')
    const body = token.slice(0, end)
    const expected = Buffer.from(this.#sign(body))
    const given = Buffer.from(token.slice(end + 1))
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return null
    const [userId, sessionId, issuedAt] = body.split('.').map(decodeURIComponent)
    const identity = { userId: userId!, sessionId: sessionId!, issuedAt: Number(issuedAt) }
    if (this.#checked.size >= REMEMBERED_MAX) this.#checked = new Map()
    this.#checked.set(token, identity)
    return identity
  }

  #sign(body: string): string {
    return createHmac('sha256', this.#secret).update(`poll ${body}`).digest('base64url')
  }
}

function cookieValue(header: string | undefined, name: string): string | null {
  if (!header) return null
  let at = 0
  while (at < header.length) {
    let end = header.indexOf(';', at)
    if (end === -1) end = header.length
    while (header[at] === ' ') at++
    if (header.startsWith(`${name}=`, at)) return header.slice(at + name.length + 1, end)
    at = end + 1
  }
  return null
}
