// How the hub says no: which type, which words, and whether trying again can help.
import { type SharedMessage, traceOf } from '#shared/hub/message.ts'
import type { AnswerPayload, AnswerType, ErrorCode } from '#shared/hub/protocol.ts'
import { MAX_FRAME_BYTES } from '#shared/hub/tuning.ts'
import type { Connection } from './connections.ts'
import type { Shard } from './shard.ts'

const RETRYABLE: Record<ErrorCode, boolean> = {
  ...{ timeout: true, internal_error: true, registry_full: true },
  ...{ message_expired: false, invalid_message: false, too_many_topics: false },
}

export type UnauthorizedReason =
  | 'spoofed_from'
  | 'not_registered'
  | 'address_taken'
  | 'revoked'
  | 'bad_token'
  | 'capability'
  | 'topic'
  | 'broadcast'

/** The request that is answered; only its id when the rest could not be read. */
export type Asked = Pick<SharedMessage, 'id' | 'metadata'> | null

export class Answers {
  readonly #shard: Shard

  constructor(shard: Shard) {
    this.#shard = shard
  }

  give<Type extends AnswerType>(to: Connection, asked: Asked, type: Type, payload: AnswerPayload<Type>): void {
    const reply = asked === null ? {} : { correlationId: asked.id, metadata: traceOf(asked) }
    this.#shard.connections.tell(to.connectionId, to.actor, type, payload, reply)
  }

  error(to: Connection, asked: Asked, code: ErrorCode, message: string, details: Record<string, unknown> = {}): void {
    this.#refuse(code)
    this.give(to, asked, 'hub:error', { code, message, details, retryable: RETRYABLE[code] })
  }

  unauthorized(to: Connection, asked: Asked, reason: UnauthorizedReason, message: string): void {
    this.#refuse('unauthorized')
    this.give(to, asked, 'hub:unauthorized', { reason, message })
  }

  rateLimited(to: Connection, asked: Asked, retryAfter: number): void {
    this.#refuse('rate_limited')
    this.give(to, asked, 'hub:rate_limited', { retryAfter: Math.max(1, Math.ceil(retryAfter)) })
  }

  unknownActor(to: Connection, asked: Asked, actorAddress: string): void {
    this.#refuse('unknown_actor')
    this.give(to, asked, 'hub:unknown_actor', { actorAddress, message: 'This actor cannot be reached.' })
  }

  tooLarge(to: Connection, messageSize: number): void {
    this.#refuse('message_too_large')
    this.give(to, null, 'hub:message_too_large', { messageSize, maxSize: MAX_FRAME_BYTES })
  }

  #refuse(code: string): void {
    this.#shard.counters.count('signal_hub_errors_total', `code="${code}"`)
  }
}
