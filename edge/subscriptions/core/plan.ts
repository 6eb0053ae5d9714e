// How a publish reaches its listeners, and how their ids are cut into what the queue takes. Decides; sends nothing.
import {
  FANOUT_QUEUE_BATCH_SIZE,
  FANOUT_QUEUE_THRESHOLD,
  MAX_INLINE_FANOUT,
  QUEUE_MAX_BYTES,
  QUEUE_MAX_MESSAGES,
  QUEUE_MESSAGE_OVERHEAD_BYTES,
} from '../constants.ts'

/** `deferred` and `circuit-open`: nobody is written to now; all are owed, and caught up by alarm. */
export type FanoutMode = 'inline' | 'queued' | 'deferred' | 'circuit-open'
/** What a publisher should know first, first. */
const MODES_BY_WEIGHT: FanoutMode[] = ['deferred', 'circuit-open', 'queued', 'inline']

export type Fanout = { count: number; successes: number; failures: number; mode: FanoutMode }
export const NOBODY: Fanout = { count: 0, successes: 0, failures: 0, mode: 'inline' }

/** `listeners` are those of the whole topic: it does not become small by being sharded. */
export function planFanout(
  listeners: number,
  hasQueue: boolean,
  breakerAdmits: () => boolean,
  queueThreshold = FANOUT_QUEUE_THRESHOLD,
): FanoutMode {
  if (listeners === 0) return 'inline'
  if (listeners > queueThreshold && hasQueue) return 'queued'
  if (listeners > MAX_INLINE_FANOUT) return 'deferred'
  return breakerAdmits() ? 'inline' : 'circuit-open'
}

/** What all shards of a topic did, as one. */
export function sumFanouts(parts: Fanout[]): Fanout {
  const total = (of: 'count' | 'successes' | 'failures') => parts.reduce((sum, part) => sum + part[of], 0)
  const modes = parts.filter(({ count }) => count > 0).map(({ mode }) => mode)
  const mode = MODES_BY_WEIGHT.find((candidate) => modes.includes(candidate)) ?? 'inline'
  return { count: total('count'), successes: total('successes'), failures: total('failures'), mode }
}

export type Listener = { sessionId: string; generation: number }

/** By reference: whoever takes it from the queue reads the range from the source. */
export type FanoutQueueMessage = {
  projectId: string
  streamId: string
  /** Which of the topic's objects has these listeners. */
  shard: number
  listeners: Listener[]
  incarnation: string
  prevOffset: number
  offset: number
}

/** Calls of `sendBatch`, each within the platform's number of messages and of bytes. */
export function queueBatches(
  message: Omit<FanoutQueueMessage, 'listeners'>,
  listeners: Listener[],
): FanoutQueueMessage[][] {
  const batches: FanoutQueueMessage[][] = []
  let batch: FanoutQueueMessage[] = []
  let bytes = 0
  for (let at = 0; at < listeners.length; at += FANOUT_QUEUE_BATCH_SIZE) {
    const next = { ...message, listeners: listeners.slice(at, at + FANOUT_QUEUE_BATCH_SIZE) }
    // Names are ASCII, so characters are bytes.
    const size = JSON.stringify(next).length + QUEUE_MESSAGE_OVERHEAD_BYTES
    if (batch.length === QUEUE_MAX_MESSAGES || (batch.length > 0 && bytes + size > QUEUE_MAX_BYTES)) {
      batches.push(batch)
      batch = []
      bytes = 0
    }
    batch.push(next)
    bytes += size
  }
  return batch.length === 0 ? batches : [...batches, batch]
}
