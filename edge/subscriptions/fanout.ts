// Brings a range of a source to sessions, in batches, each call within its time. Whether it was carried along or has to
// be pulled, the session's own stream decides what is new to it.
import { withinTime } from '../lib/within-time.ts'
import type { DeliveryHint } from '../streams/core/delivery.ts'
import type { Position } from '../streams/core/offset.ts'
import { objectName } from '../streams/core/route.ts'
import type { StreamName } from '../streams/core-service.ts'
import { FANOUT_BATCH_SIZE, FANOUT_RPC_TIMEOUT_MS } from './constants.ts'
import type { BatchResult } from './core/breaker.ts'
import type { Listener } from './core/plan.ts'
import { sessionStreamId } from './core/route.ts'
import type { SubscriptionsEnv } from './env.ts'
import type { FanoutOutcome, Place } from './rpc.ts'

export type FanoutWish = Place & {
  source: StreamName
  /** Where the carried bytes begin; null with none. */
  prevOffset: Position | null
  carried: Uint8Array | null
  listeners: Listener[]
  /** Told after each batch; the next one is not begun when it says no. */
  onBatch?: (result: BatchResult) => boolean
}

export async function fanoutToSubscribers(core: SubscriptionsEnv['CORE'], wish: FanoutWish): Promise<FanoutOutcome> {
  const outcome: FanoutOutcome = { delivered: [], stale: [], failed: [] }
  for (let at = 0; at < wish.listeners.length; at += FANOUT_BATCH_SIZE) {
    const batch = wish.listeners.slice(at, at + FANOUT_BATCH_SIZE)
    const results = await Promise.all(batch.map((listener) => deliverTo(core, wish, listener)))
    for (const [index, result] of results.entries()) outcome[result].push(batch[index]!)
    const failures = results.filter((result) => result === 'failed').length
    const goOn = wish.onBatch?.({ successes: batch.length - failures, failures }) ?? true
    if (goOn) continue
    outcome.failed.push(...wish.listeners.slice(at + FANOUT_BATCH_SIZE))
    break
  }
  return outcome
}

async function deliverTo(
  core: SubscriptionsEnv['CORE'],
  { source, incarnation, prevOffset, offset, carried }: FanoutWish,
  { sessionId, generation }: Listener,
): Promise<keyof FanoutOutcome> {
  const { project, id } = source
  const hint: DeliveryHint = { source: objectName(project, id), incarnation, generation, prevOffset, offset }
  const session = { project, id: sessionStreamId(sessionId) }
  try {
    const result = await withinTime(core.deliver(session, hint, carried), FANOUT_RPC_TIMEOUT_MS)
    return result === 'gone' || result === 'stale' ? 'stale' : 'delivered'
  } catch (error) {
    console.warn(JSON.stringify({ message: 'session not reached', error: String(error) }))
    return 'failed'
  }
}
