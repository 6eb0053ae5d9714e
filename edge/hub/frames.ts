// Everything that comes in over a socket, in the order of the checks: form, size, rate, envelope, sender, time, type,
// registration; then the part that it belongs to. Whatever goes wrong is answered, never thrown.

import { firstProblem } from '#shared/first-problem.ts'
import { HUB_ADDRESS } from '#shared/hub/address.ts'
import { CLOSE } from '#shared/hub/close-codes.ts'
import { isExpired, isFromTheFuture, type SharedMessage } from '#shared/hub/message.ts'
import { parseFrame } from '#shared/hub/parse-frame.ts'
import { isRequestType, REQUESTS, type RequestPayload, type RequestType } from '#shared/hub/protocol.ts'
import { MAX_FRAME_BYTES, PROTOCOL_VERSION } from '#shared/hub/tuning.ts'
import type { Broadcasts } from './broadcasts.ts'
import type { Connection } from './connections.ts'
import { FrameLimit, type FrameVerdict } from './core/frame-limit.ts'
import type { Rights } from './core/rights.ts'
import { discoverAcross } from './discover.ts'
import { checkHubToken } from './hub-token.ts'
import type { Answers } from './refusals.ts'
import type { Registrations } from './registrations.ts'
import type { Sends } from './sends.ts'
import { type Shard, warn } from './shard.ts'
import type { TopicListeners } from './topic-listeners.ts'

export type Parts = {
  answers: Answers
  registrations: Registrations
  sends: Sends
  listeners: TopicListeners
  broadcasts: Broadcasts
}

/** Of a frame that is refused unread, the id is looked for only if that is cheap. */
const CHEAP_CHARS = 4_096
/** May be said before registering. */
const FREE: readonly RequestType[] = ['hub:connect', 'hub:register', 'hub:heartbeat', 'hub:disconnect']
const encoder = new TextEncoder()

type Handlers = {
  [Type in RequestType]: (from: Connection, asked: SharedMessage, wish: RequestPayload<Type>) => void | Promise<void>
}

export class Frames {
  readonly #shard: Shard
  readonly #parts: Parts
  readonly #handlers: Handlers
  readonly #limits = new Map<string, FrameLimit>()

  constructor(shard: Shard, parts: Parts) {
    this.#shard = shard
    this.#parts = parts
    this.#handlers = this.#makeHandlers()
  }

  async receive(socket: WebSocket, data: string | ArrayBuffer): Promise<void> {
    const { connections, counters } = this.#shard
    const from = connections.of(socket)
    // What was still on its way when we closed the socket is not for us any more.
    if (from === null || socket.readyState !== WebSocket.OPEN) return
    counters.count('signal_hub_messages_received_total')
    if (typeof data !== 'string') return connections.close(from.connectionId, CLOSE.binary, 'binary')
    const bytes = data.length * 3 <= MAX_FRAME_BYTES ? data.length : encoder.encode(data).length
    if (bytes > MAX_FRAME_BYTES) return this.#parts.answers.tooLarge(from, bytes)
    if (from.expiresAtMs <= this.#shard.now())
      return connections.close(from.connectionId, CLOSE.tokenExpired, 'token_expired')
    const verdict = this.#judge(from.connectionId, data, bytes)
    if (verdict.is === 'wait') return this.#refuse(from, data, verdict.retryAfterMs)
    if (verdict.is === 'flood') return connections.close(from.connectionId, CLOSE.flooding, 'flooding')
    const parsed = parseFrame(data)
    if (!parsed.ok) {
      const asked = parsed.id === null ? null : { id: parsed.id, metadata: {} }
      return this.#parts.answers.error(from, asked, 'invalid_message', parsed.problem)
    }
    try {
      await this.#handle(from, parsed.message)
    } catch (error) {
      warn('a frame could not be handled', { type: parsed.message.type, error: String(error) })
      this.#parts.answers.error(from, parsed.message, 'internal_error', 'The hub could not handle this.')
    }
  }

  forget(connectionId: string): void {
    this.#limits.delete(connectionId)
  }

  #judge(connectionId: string, data: string, bytes: number): FrameVerdict {
    const limit = this.#limits.get(connectionId) ?? new FrameLimit(this.#shard.clock)
    this.#limits.set(connectionId, limit)
    return limit.ask({ bytes, isAck: isAck(data) })
  }

  #refuse(from: Connection, data: string, retryAfterMs: number): void {
    const parsed = data.length <= CHEAP_CHARS ? parseFrame(data) : null
    this.#parts.answers.rateLimited(from, parsed?.ok ? parsed.message : null, retryAfterMs)
  }

  async #handle(from: Connection, asked: SharedMessage): Promise<void> {
    const { answers } = this.#parts
    const now = this.#shard.now()
    if (asked.from !== from.actor)
      return answers.unauthorized(from, asked, 'spoofed_from', 'A message must come from the connection’s own address.')
    if (asked.to !== HUB_ADDRESS) return answers.error(from, asked, 'invalid_message', `to: must be ${HUB_ADDRESS}`)
    if (isFromTheFuture(asked, now))
      return answers.error(from, asked, 'invalid_message', 'timestamp: is in the future', { now })
    if (isExpired(asked, now))
      return answers.error(from, asked, 'message_expired', `It expired on the way here (TTL ${asked.ttl} ms).`)
    const { type } = asked
    if (!isRequestType(type)) return answers.error(from, asked, 'invalid_message', 'type: is unknown')
    const payload = REQUESTS[type].safeParse(asked.payload ?? {})
    if (!payload.success) {
      const { field, message } = firstProblem(payload.error, 'payload')
      return answers.error(from, asked, 'invalid_message', `${field}: ${message}`)
    }
    if (!FREE.includes(type) && this.#shard.registrationOf(from.actor, from.connectionId) === null)
      return answers.unauthorized(from, asked, 'not_registered', 'Register first.')
    // The schema of this very type was applied.
    await this.#handlers[type](from, asked, payload.data as never)
  }

  #makeHandlers(): Handlers {
    const { answers, registrations, sends, listeners, broadcasts } = this.#parts
    return {
      'hub:connect': (from, asked, { token }) => this.#connect(from, asked, token),
      'hub:register': (from, asked, wish) => registrations.register(from, asked, wish),
      'hub:renew': (from, asked, wish) => registrations.renew(from, asked, wish),
      'hub:unregister': (from, asked) => registrations.unregister(from, asked),
      'hub:heartbeat': (from, asked, { mark }) => {
        if (mark === undefined) answers.give(from, asked, 'hub:heartbeat', {})
        else if (this.#shard.connections.confirm(from.connectionId, mark)) sends.release(from.actor)
      },
      'hub:discover': async (from, asked, wish) => {
        answers.give(from, asked, 'hub:discovered', await discoverAcross(this.#shard.env, this.#shard.identity, wish))
      },
      'hub:send': (from, asked, wish) => sends.send(from, asked, wish),
      'hub:ack': (from, _, wish) => sends.acknowledge(from, wish),
      'hub:broadcast': (from, asked, wish) => broadcasts.begin(from, asked, wish, this.#rights(from)),
      'hub:subscribe': async (from, asked, wish) => {
        const rights = wish.token === undefined ? this.#rights(from) : await this.#rightsBy(from, wish.token)
        if (rights === null) return answers.unauthorized(from, asked, 'bad_token', 'The token is not valid.')
        await listeners.subscribe(from, asked, wish, rights)
      },
      'hub:unsubscribe': (from, asked, wish) => listeners.unsubscribe(from, asked, wish),
      'hub:publish': (from, asked, wish) => listeners.publish(from, asked, wish, this.#rights(from)),
      'hub:replay': (from, asked, wish) => listeners.replay(from, asked, wish),
      'hub:disconnect': (from) => this.#shard.connections.close(from.connectionId, CLOSE.normal, 'asked'),
    }
  }

  /** Says who one is; with a token, the connection lives as long as that. */
  async #connect(from: Connection, asked: SharedMessage, token: string | undefined): Promise<void> {
    const { connections, storage } = this.#shard
    let connection = from
    if (token !== undefined) {
      const rights = await this.#rightsBy(from, token)
      const socket = connections.find(from.connectionId)
      if (rights === null || socket === null)
        return this.#parts.answers.unauthorized(from, asked, 'bad_token', 'The token is not valid.')
      connection = { ...from, expiresAtMs: rights.expiresAtMs }
      connections.update(socket, connection)
      storage.putConnection(from.connectionId, from.actor, rights)
      this.#parts.listeners.renew(connection, rights)
      this.#shard.arm(rights.expiresAtMs)
    }
    const { connectionId, actor: actorAddress, expiresAtMs: expiresAt } = connection
    const answer = { connectionId, actorAddress, expiresAt, protocolVersion: PROTOCOL_VERSION }
    this.#parts.answers.give(connection, asked, 'hub:connected', answer)
  }

  #rights(from: Connection): Rights {
    const rights = this.#shard.storage.rightsOf(from.connectionId)
    if (rights === null) throw new Error('a connection without rights')
    return rights
  }

  /** Of a token that came in a frame: it must be for this project and this actor. */
  #rightsBy(from: Connection, token: string): Promise<Rights | null> {
    return checkHubToken(this.#shard.env, { project: this.#shard.identity.project, actor: from.actor, token })
  }
}

/** Cheap and safe: whoever dresses something else up as this pays more a line later, or is refused. */
const isAck = (data: string): boolean => data.length < 1_024 && data.includes('"hub:ack"')
