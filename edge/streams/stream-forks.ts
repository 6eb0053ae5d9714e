// Forks of a stream, from both sides: a fork claims its source before it exists, and the source keeps what its forks lean on
// until the last of them has given it back.
import { isJson, sameMediaType } from './core/content-type.ts'
import type { CreateRequest } from './core/create.ts'
import type { Position } from './core/offset.ts'
import type { Page } from './core/page.ts'
import { isRefusal, type Refusal, refuse } from './core/refusal.ts'
import { OVERSHOT, placeOfSubOffset } from './core/sub-offset.ts'
import type { ClaimedFork, ForkClaim } from './rpc.ts'
import { NOT_FOUND, type StreamState } from './stream-state.ts'

export class StreamForks {
  readonly #state: StreamState

  constructor(state: StreamState) {
    this.#state = state
  }

  // As a fork.

  async claimSource({ fork, contentType }: CreateRequest, forkId: string): Promise<ClaimedFork | Refusal> {
    const { source = '', anchor = null, subOffset = 0 } = fork ?? {}
    const { duties } = this.#state
    duties.beginClaim(source, forkId)
    const claimed = await this.#state.stream(source).claimFork({ forkId, anchor, subOffset, contentType })
    if (isRefusal(claimed)) {
      duties.forgetClaim(source, forkId)
      duties.endClaim(forkId)
    }
    return claimed
  }

  // As a source.

  async claim({ forkId, anchor, subOffset, contentType }: ForkClaim): Promise<ClaimedFork | Refusal> {
    const head = this.#state.live()
    if (isRefusal(head)) return head.status === 410 ? refuse(409, 'the source was deleted') : head
    if (contentType !== null && !sameMediaType(contentType, head.contentType))
      return refuse(409, `the source holds ${head.contentType}`)
    const at = anchor ?? head.tail
    if (at > head.tail) return refuse(400, 'Stream-Fork-Offset is past the end of the source')
    const base = await this.resolvePlace(at, subOffset, head.tail)
    if (isRefusal(base)) return base
    // It may have ended while we asked its own source.
    const still = this.#state.live()
    if (isRefusal(still)) return still
    this.#state.storage.addFork(forkId)
    return { base, anchor: at, contentType: head.contentType, lifetime: head.lifetime }
  }

  async release(forkId: string): Promise<void> {
    const { storage, head, duties } = this.#state
    storage.removeFork(forkId)
    if (head?.deleted && !storage.hasForks()) this.#state.end(head)
    await duties.perform()
  }

  async inherited(from: Position, upTo: Position, maxBytes: number): Promise<Page> {
    const { head } = this.#state
    if (head === null) throw new Error('a fork reads from a source that is gone')
    return this.#state.page(head, from, upTo, maxBytes)
  }

  async resolvePlace(anchor: Position, subOffset: number, limit: Position): Promise<Position | Refusal> {
    const { head, storage } = this.#state
    if (subOffset === 0 || head === null) return head === null ? NOT_FOUND : anchor
    if (anchor >= Math.min(limit, head.tail)) return OVERSHOT
    if (anchor < head.base && head.fork !== null)
      return this.#state.stream(head.fork.source).resolvePlace(anchor, subOffset, Math.min(limit, head.base))
    const batchEnd = Math.min(storage.batchEnd(anchor) ?? head.tail, limit)
    const json = isJson(head.contentType)
    const messageStarts = json ? storage.messageStarts(anchor, batchEnd, subOffset) : []
    return placeOfSubOffset(anchor, subOffset, { json, batchEnd, messageStarts })
  }
}
