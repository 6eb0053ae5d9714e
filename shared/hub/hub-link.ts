// The client's connection: opened, registered, renewed, watched, and opened again when it was lost. Owns no socket and no
// timer of its own; both are given. What is said over it is its user's business.
import type { Clock, Random } from '../clock.ts'
import { HUB_ADDRESS } from './address.ts'
import { CLOSE, mayComeBack } from './close-codes.ts'
import { createMessage, type SharedMessage } from './message.ts'
import { parseFrame } from './parse-frame.ts'
import { ANSWERS } from './protocol.ts'
import { reconnectDelayMs } from './reconnect.ts'
import { PING, PING_SECONDS, PONG, SUBPROTOCOL, TOKEN_SUBPROTOCOL } from './tuning.ts'

export type HubSocket = { send: (text: string) => void; close: (code?: number, reason?: string) => void }
export type SocketEvents = {
  onOpen: () => void
  onText: (text: string) => void
  /** `retryAfterMs` when whoever opened the socket could read it from a refusal. */
  onClose: (code: number, reason: string, retryAfterMs?: number) => void
}
export type OpenSocket = (url: string, protocols: string[], events: SocketEvents) => HubSocket
/** Runs it later; the result takes it back. */
export type Timer = (afterMs: number, run: () => void) => () => void

export type LinkState = 'connecting' | 'ready' | 'waiting' | 'stopped'

export type LinkOptions = {
  /** `wss://…/v1/<project>/hub/connect` */
  url: string
  actor: string
  /** A fresh token of the origin's. */
  token: () => Promise<string>
  capabilities?: string[]
  metadata?: Record<string, unknown>
  ttlSeconds?: number
  openSocket: OpenSocket
  clock: Clock
  random: Random
  timer: Timer
  newId: () => string
}

export type LinkEvents = {
  onState: (state: LinkState, why: string) => void
  onMessage: (message: SharedMessage) => void
}

/** Renewed when this share of the time has passed. */
const RENEW_SHARE = 0.6
const ANSWER_MS = 10_000

export class HubLink {
  readonly #options: LinkOptions
  readonly #events: LinkEvents
  #state: LinkState = 'stopped'
  #socket: HubSocket | null = null
  /** Each socket has a number; what an earlier one still says does not count. */
  #generation = 0
  #attempt = 0
  #renewalToken: string | null = null
  #lastHeardMs = 0
  readonly #timers = new Map<string, () => void>()

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
  }

  get state(): LinkState {
    return this.#state
  }

  start(): void {
    if (this.#state !== 'stopped') return
    this.#attempt = 0
    void this.#open()
  }

  /** Leaves for good: the address is free again. */
  stop(): void {
    if (this.#state === 'ready') this.say('hub:unregister', {})
    this.#renewalToken = null
    this.#end('asked')
  }

  /** The network is back after it was away: no reason to wait, nobody else was cut off. */
  networkBack(): void {
    if (this.#state === 'waiting') this.#later('reconnect', reconnectDelayMs(0, this.#options.random, true), this.#open)
  }

  /** A request to the hub; its id. */
  say(type: string, payload: unknown, more: Partial<SharedMessage> = {}): string {
    const { actor, clock, newId } = this.#options
    const id = more.id ?? newId()
    const message = createMessage({
      ...{ id, from: actor, to: HUB_ADDRESS, type, payload, timestamp: clock.now(), ...more },
    })
    this.#write(JSON.stringify(message))
    return id
  }

  readonly #open = async (): Promise<void> => {
    const generation = ++this.#generation
    this.#become('connecting', 'opening')
    let token: string
    try {
      token = await this.#options.token()
    } catch {
      // The origin is away or refuses: try again later, as for a lost socket.
      if (generation === this.#generation) this.#lost('no token')
      return
    }
    if (generation !== this.#generation) return
    const { url, actor, openSocket } = this.#options
    const target = `${url}?actor=${encodeURIComponent(actor)}`
    const current = () => generation === this.#generation
    this.#socket = openSocket(target, [SUBPROTOCOL, TOKEN_SUBPROTOCOL + token], {
      onOpen: () => current() && this.#greet(),
      onText: (text) => current() && this.#hear(text),
      onClose: (code, reason, retryAfterMs) => current() && this.#closed(code, reason, retryAfterMs),
    })
    this.#later('answer', ANSWER_MS, () => this.#drop('no answer'))
  }

  #greet(): void {
    const { actor, capabilities = [], metadata = {}, ttlSeconds } = this.#options
    this.#lastHeardMs = this.#options.clock.now()
    this.say('hub:connect', {})
    this.say('hub:register', {
      ...{ actorAddress: actor, capabilities, metadata },
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
      ...(this.#renewalToken === null ? {} : { renewalToken: this.#renewalToken }),
    })
    this.#later('ping', PING_SECONDS * 1_000, this.#ping)
  }

  readonly #ping = () => {
    const silentMs = this.#options.clock.now() - this.#lastHeardMs
    if (silentMs > PING_SECONDS * 1_000 + ANSWER_MS) return this.#drop('silent')
    this.#write(PING)
    // Looked at soon when something is overdue, otherwise at the usual pace.
    this.#later('ping', silentMs >= PING_SECONDS * 1_000 ? ANSWER_MS + 1 : PING_SECONDS * 1_000, this.#ping)
  }

  #hear(text: string): void {
    this.#lastHeardMs = this.#options.clock.now()
    if (text === PONG) return
    const parsed = parseFrame(text)
    // The hub sends none of these; whatever it is, it is not for us.
    if (!parsed.ok) return
    const { message } = parsed
    if (message.from === HUB_ADDRESS) this.#listen(message)
    this.#events.onMessage(message)
  }

  /** What concerns the connection itself. */
  #listen({ type, payload }: SharedMessage): void {
    if (type === 'hub:connected') {
      const connected = ANSWERS[type].safeParse(payload).data
      if (connected !== undefined) this.#renewIn('token', connected.expiresAt, this.#renewToken)
    }
    if (type === 'hub:registered') {
      const registered = ANSWERS[type].safeParse(payload).data
      if (registered === undefined) return
      this.#renewalToken = registered.renewalToken
      this.#renewIn('registration', registered.expiresAt, this.#renewRegistration)
      this.#attempt = 0
      this.#cancel('answer')
      if (this.#state === 'connecting') this.#become('ready', 'registered')
    }
    if (type === 'hub:heartbeat') {
      const mark = ANSWERS[type].safeParse(payload).data?.mark
      if (mark !== undefined) this.say('hub:heartbeat', { mark })
    }
    if (type === 'hub:disconnect') {
      const ended = ANSWERS[type].safeParse(payload).data
      const socket = this.#socket
      this.#generation += 1
      this.#closed(ended?.code ?? CLOSE.normal, ended?.reason ?? 'disconnected')
      socket?.close(CLOSE.normal)
      return
    }
    // The address is somebody else's: after a crash, our own from before, until that has run out.
    if (type === 'hub:unauthorized' && this.#state === 'connecting') this.#drop('unauthorized')
    if (type === 'hub:error' && this.#state === 'connecting') this.#drop('refused')
  }

  readonly #renewToken = async (): Promise<void> => {
    const generation = this.#generation
    try {
      const token = await this.#options.token()
      if (generation === this.#generation) this.say('hub:connect', { token })
    } catch {
      // Without it the hub ends the socket in time, and we come back with a new one.
      this.#later('token', ANSWER_MS, this.#renewToken)
    }
  }

  readonly #renewRegistration = (): void => {
    const { ttlSeconds } = this.#options
    const ttl = ttlSeconds === undefined ? {} : { ttlSeconds }
    if (this.#renewalToken !== null) this.say('hub:renew', { renewalToken: this.#renewalToken, ...ttl })
  }

  #renewIn(name: string, expiresAtMs: number, run: () => void): void {
    this.#later(name, Math.max(1_000, (expiresAtMs - this.#options.clock.now()) * RENEW_SHARE), run)
  }

  /** We give this socket up. */
  #drop(why: string): void {
    const socket = this.#socket
    this.#generation += 1
    this.#lost(why)
    socket?.close(CLOSE.normal, why)
  }

  #closed(code: number, reason: string, retryAfterMs?: number) {
    if (!mayComeBack(code)) return this.#end(reason || String(code))
    this.#lost(reason || String(code), retryAfterMs)
  }

  #lost(why: string, retryAfterMs = 0): void {
    this.#socket = null
    for (const name of [...this.#timers.keys()]) this.#cancel(name)
    const delay = Math.max(retryAfterMs, reconnectDelayMs(this.#attempt, this.#options.random))
    this.#attempt += 1
    this.#become('waiting', why)
    this.#later('reconnect', delay, this.#open)
  }

  #end(why: string): void {
    const socket = this.#socket
    this.#socket = null
    this.#generation += 1
    for (const name of [...this.#timers.keys()]) this.#cancel(name)
    socket?.close(CLOSE.normal, why)
    this.#become('stopped', why)
  }

  #write(text: string): void {
    this.#socket?.send(text)
  }

  #become(state: LinkState, why: string): void {
    if (this.#state === state) return
    this.#state = state
    this.#events.onState(state, why)
  }

  #later(name: string, afterMs: number, run: () => void): void {
    this.#cancel(name)
    this.#timers.set(name, this.#options.timer(afterMs, run))
  }

  #cancel(name: string): void {
    this.#timers.get(name)?.()
    this.#timers.delete(name)
  }
}
