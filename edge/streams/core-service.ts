// What the subscription worker asks of the streams, by service binding: no HTTP and no token between the two. Streams are
// named by project and id, checked here once more, so that a mistake there cannot reach another project.
import { WorkerEntrypoint } from 'cloudflare:workers'
import { ownCopy } from '../lib/own-copy.ts'
import type { AppendRequest } from './core/append.ts'
import type { DeliveryHint, DeliveryResult } from './core/delivery.ts'
import type { Position } from './core/offset.ts'
import { isRefusal, type Refusal } from './core/refusal.ts'
import { isProject, isStreamId, objectName } from './core/route.ts'
import type { StreamsEnv } from './env.ts'
import type { Appended, Created, Description, Joined } from './rpc.ts'

export type StreamName = { project: string; id: string }

export class CoreService extends WorkerEntrypoint<StreamsEnv> {
  async headStream(name: StreamName): Promise<Description | Refusal> {
    return ownCopy(await this.#stream(name).describe())
  }

  /** A stream that ends by itself when nobody reads or touches it for so long. */
  async putStream(name: StreamName, contentType: string, ttlSeconds: number): Promise<Created | Refusal> {
    const wish = { contentType, closed: false, fork: null, isPublic: false }
    const lifetime = { kind: 'sliding', ttlSeconds } as const
    const request = { ...wish, lifetime }
    return ownCopy(await this.#stream(name).create(objectName(name.project, name.id), request, new Uint8Array(), true))
  }

  async postStream(name: StreamName, request: AppendRequest): Promise<Appended | Refusal> {
    return ownCopy(await this.#stream(name).append(request))
  }

  async deleteStream(name: StreamName): Promise<void> {
    const refused = await this.#stream(name).remove()
    if (refused !== null && refused.status !== 404 && refused.status !== 410) throw new Error(refused.reason)
  }

  async touchStream(name: StreamName): Promise<boolean> {
    return this.#stream(name).touch()
  }

  async lastUsedMs(name: StreamName): Promise<number | null> {
    return this.#stream(name).lastUsedMs()
  }

  async joinSource(session: StreamName, source: StreamName): Promise<Joined | Refusal> {
    return ownCopy(await this.#stream(session).join(objectName(source.project, source.id)))
  }

  async leaveSource(session: StreamName, source: StreamName): Promise<void> {
    await this.#stream(session).leave(objectName(source.project, source.id))
  }

  async deliver(session: StreamName, hint: DeliveryHint, carried: Uint8Array | null): Promise<DeliveryResult | 'gone'> {
    const result = await this.#stream(session).deliver(hint, carried)
    return isRefusal(result) ? 'gone' : result
  }

  async handTo(session: StreamName, body: Uint8Array): Promise<DeliveryResult | Refusal> {
    return ownCopy(await this.#stream(session).hand(body))
  }

  /** What its sources have and no delivery brought, for so many of them, in turns. */
  async catchUp(session: StreamName, limit: number): Promise<void> {
    await this.#stream(session).catchUp(limit)
  }

  /** The bytes in between, to be carried to many sessions; null when they are more than one page, or gone. */
  async readRange(name: StreamName, incarnation: string, from: Position, upTo: Position): Promise<Uint8Array | null> {
    const page = await this.#stream(name).range(incarnation, from, upTo)
    return page !== null && page.next === upTo ? page.body : null
  }

  #stream({ project, id }: StreamName) {
    if (!isProject(project) || !isStreamId(id)) throw new Error('this names no stream')
    return this.env.STREAM_DO.getByName(objectName(project, id))
  }
}
