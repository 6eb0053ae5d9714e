// How a broadcast is cut up. Recipients are walked in the order of their registration, a slice at a time; what lies in
// between belongs to others. Decides; sends nothing.

/** A slice for the queue, by reference: the message is in the shard. */
export type BroadcastJob = {
  project: string
  shard: string
  /** Sender and message. */
  key: string
  batchIndex: number
  totalBatches: number
}

export type BroadcastCounts = { delivered: number; queued: number; failed: number }

export const NO_COUNTS: BroadcastCounts = { delivered: 0, queued: 0, failed: 0 }

export const addCounts = (a: BroadcastCounts, b: BroadcastCounts): BroadcastCounts => ({
  delivered: a.delivered + b.delivered,
  queued: a.queued + b.queued,
  failed: a.failed + b.failed,
})

export const broadcastKey = (sender: string, messageId: string): string => `${sender} ${messageId}`
