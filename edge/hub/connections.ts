// A shard's sockets: found by tag, never by looking through all of them. What must survive sleep is in the attachment; how
// far a reader is behind is counted anew after a sleep, which is when nothing was under way.

import { systemClock } from '#shared/clock.ts'
import { HUB_ADDRESS } from '#shared/hub/address.ts'
import { CLOSE } from '#shared/hub/close-codes.ts'
import { createMessage, type SharedMessage } from '#shared/hub/message.ts'
import type { AnswerPayload, AnswerType } from '#shared/hub/protocol.ts'
import { afterMark, afterSend, type Flow, hasCaughtUp, isBehind, isLost, NEW_FLOW } from './core/flow.ts'

export type Connection = { connectionId: string; actor: string; expiresAtMs: number; connectedAtMs: number }

export type Reply = { correlationId?: string | null; metadata?: Record<string, unknown> }

export class Connections {
  readonly #ctx: DurableObjectState
  readonly #found = new Map<string, WebSocket>()
  readonly #flows = new Map<string, Flow>()
  #sent = 0

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx
  }

  accept(socket: WebSocket, connection: Connection): void {
    this.#ctx.acceptWebSocket(socket, [connection.connectionId])
    socket.serializeAttachment(connection)
    this.#found.set(connection.connectionId, socket)
  }

  /** Null for a socket that we have already let go. */
  of(socket: WebSocket): Connection | null {
    return socket.deserializeAttachment() as Connection | null
  }

  update(socket: WebSocket, connection: Connection): void {
    socket.serializeAttachment(connection)
  }

  find(connectionId: string): WebSocket | null {
    const known = this.#found.get(connectionId)
    if (known !== undefined) return known
    const [socket] = this.#ctx.getWebSockets(connectionId)
    if (socket === undefined || socket.readyState !== WebSocket.OPEN) return null
    this.#found.set(connectionId, socket)
    return socket
  }

  count(): number {
    return this.#ctx.getWebSockets().length
  }

  all(): WebSocket[] {
    return this.#ctx.getWebSockets()
  }

  /** When it last showed a sign of life: pings are answered without us. */
  lastSignMs(socket: WebSocket, { connectedAtMs }: Connection): number {
    return this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? connectedAtMs
  }

  /** False when nobody is there. */
  send(connectionId: string, text: string): boolean {
    const socket = this.find(connectionId)
    if (socket === null || !this.#write(socket, text)) return false
    const { flow, mark } = afterSend(this.#flows.get(connectionId) ?? NEW_FLOW)
    this.#flows.set(connectionId, flow)
    if (mark !== null) this.#write(socket, this.#text(this.of(socket)?.actor ?? '', 'hub:heartbeat', { mark }))
    if (isLost(flow)) this.close(connectionId, CLOSE.tooSlow, 'too_slow')
    return true
  }

  /** A message of the hub itself. */
  tell<Type extends AnswerType>(
    connectionId: string,
    actor: string,
    type: Type,
    payload: AnswerPayload<Type>,
    reply: Reply = {},
  ): boolean {
    return this.send(connectionId, this.#text(actor, type, payload, reply))
  }

  isBehind(connectionId: string): boolean {
    return isBehind(this.#flows.get(connectionId) ?? NEW_FLOW)
  }

  /** True when the reader has caught up so far that its senders may go on. */
  confirm(connectionId: string, mark: number): boolean {
    const flow = afterMark(this.#flows.get(connectionId) ?? NEW_FLOW, mark)
    this.#flows.set(connectionId, flow)
    return hasCaughtUp(flow)
  }

  close(connectionId: string, code: number, reason: string): void {
    const socket = this.find(connectionId)
    this.forget(connectionId)
    if (socket === null) return
    const actor = this.of(socket)?.actor
    if (actor !== undefined) this.#write(socket, this.#text(actor, 'hub:disconnect', { reason, code }))
    try {
      socket.close(code, reason)
    } catch {
      // It is closing by itself.
    }
  }

  forget(connectionId: string): void {
    this.#found.delete(connectionId)
    this.#flows.delete(connectionId)
  }

  /** Frames since the last time this was asked. */
  takeSent(): number {
    const sent = this.#sent
    this.#sent = 0
    return sent
  }

  #write(socket: WebSocket, text: string): boolean {
    try {
      socket.send(text)
      this.#sent += 1
      return true
    } catch {
      // Closed meanwhile: the close event follows.
      return false
    }
  }

  #text(to: string, type: AnswerType, payload: unknown, { correlationId = null, metadata = {} }: Reply = {}): string {
    const message: SharedMessage = createMessage({
      ...{ id: crypto.randomUUID(), from: HUB_ADDRESS, to, type, payload },
      ...{ correlationId, metadata, timestamp: systemClock.now() },
    })
    return JSON.stringify(message)
  }
}
