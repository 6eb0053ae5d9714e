// For tests only: stands between the subscription worker and what it leans on, the streams and the queue, and lets go wrong
// what the test asks for (`PUT /` with the probabilities), by a random that can be repeated.
import { WorkerEntrypoint } from 'cloudflare:workers'
import { seededRandom } from '#shared/clock.ts'
import { ownCopy } from '../lib/own-copy.ts'
import type { DeliveryHint, DeliveryResult } from '../streams/core/delivery.ts'
import type { CoreService as RealCore, StreamName } from '../streams/core-service.ts'
import type { FanoutQueueMessage } from '../subscriptions/core/plan.ts'

type FaultsEnv = { REAL: Service<RealCore>; REAL_QUEUE: Queue<FanoutQueueMessage> }
type Sent = { body: FanoutQueueMessage }

/** How likely each is, from 0 to 1. `…Lost`: it is done, but the answer does not arrive. */
export type Faults = {
  deliver: number
  deliverLost: number
  post: number
  postLost: number
  joinLost: number
  leave: number
  queueRefuses: number
  queueLoses: number
  queueDoubles: number
  seed: number
}

const NONE: Faults = {
  ...{ deliver: 0, deliverLost: 0, post: 0, postLost: 0, joinLost: 0, leave: 0 },
  ...{ queueRefuses: 0, queueLoses: 0, queueDoubles: 0, seed: 1 },
}
let faults = NONE
let random = seededRandom(NONE.seed)

function perhapsFail(likely: number): void {
  if (random() < likely) throw new Error('a fault that the test asked for')
}

export class CoreService extends WorkerEntrypoint<FaultsEnv> {
  async headStream(...args: Parameters<RealCore['headStream']>) {
    return ownCopy(await this.env.REAL.headStream(...args))
  }

  async putStream(...args: Parameters<RealCore['putStream']>) {
    return ownCopy(await this.env.REAL.putStream(...args))
  }

  async postStream(...args: Parameters<RealCore['postStream']>) {
    perhapsFail(faults.post)
    const done = await this.env.REAL.postStream(...args)
    perhapsFail(faults.postLost)
    return ownCopy(done)
  }

  deleteStream(...args: Parameters<RealCore['deleteStream']>) {
    return this.env.REAL.deleteStream(...args)
  }

  touchStream(...args: Parameters<RealCore['touchStream']>) {
    return this.env.REAL.touchStream(...args)
  }

  lastUsedMs(...args: Parameters<RealCore['lastUsedMs']>) {
    return this.env.REAL.lastUsedMs(...args)
  }

  async joinSource(...args: Parameters<RealCore['joinSource']>) {
    const joined = await this.env.REAL.joinSource(...args)
    perhapsFail(faults.joinLost)
    return ownCopy(joined)
  }

  async handTo(...args: Parameters<RealCore['handTo']>) {
    return ownCopy(await this.env.REAL.handTo(...args))
  }

  async leaveSource(...args: Parameters<RealCore['leaveSource']>) {
    perhapsFail(faults.leave)
    await this.env.REAL.leaveSource(...args)
  }

  catchUp(...args: Parameters<RealCore['catchUp']>) {
    return this.env.REAL.catchUp(...args)
  }

  readRange(...args: Parameters<RealCore['readRange']>) {
    return this.env.REAL.readRange(...args)
  }

  async deliver(session: StreamName, hint: DeliveryHint, carried: Uint8Array | null): Promise<DeliveryResult | 'gone'> {
    perhapsFail(faults.deliver)
    const result = await this.env.REAL.deliver(session, hint, carried)
    perhapsFail(faults.deliverLost)
    return result
  }
}

/** Bound in place of the queue: loses, doubles and shuffles, then hands on to the real one. */
export class FaultyQueue extends WorkerEntrypoint<FaultsEnv> {
  async sendBatch(messages: Sent[]): Promise<void> {
    perhapsFail(faults.queueRefuses)
    const kept = messages.filter(() => random() >= faults.queueLoses)
    const sent = kept.flatMap((message) => (random() < faults.queueDoubles ? [message, message] : [message]))
    const shuffled = sent.map((message) => ({ message, at: random() })).toSorted((a, b) => a.at - b.at)
    if (shuffled.length > 0) await this.env.REAL_QUEUE.sendBatch(shuffled.map(({ message }) => message))
  }
}

export default {
  async fetch(request): Promise<Response> {
    faults = { ...NONE, ...((await request.json()) as Partial<Faults>) }
    random = seededRandom(faults.seed)
    return new Response(null, { status: 204 })
  },
} satisfies ExportedHandler<FaultsEnv>
