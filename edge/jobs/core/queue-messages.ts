// Jobs cut into what the queue takes: messages of one partition each, and calls of `sendBatch` within its limits.
import type { PlacedJob } from './job.ts'

/** The platform's 128 KB a message and 256 KB a call, less what it adds itself. */
const MESSAGE_BYTES = 120_000
const CALL_BYTES = 240_000
const CALL_MESSAGES = 100
const OVERHEAD_BYTES = 200

export type PartitionJobs = { partition: number; jobs: PlacedJob[] }

const encoder = new TextEncoder()
const sizeOf = (job: PlacedJob): number => encoder.encode(JSON.stringify(job)).length + 1

export function packMessages(placed: readonly PartitionJobs[]): PartitionJobs[][] {
  const messages = placed.flatMap(({ partition, jobs }) =>
    packed(jobs, sizeOf, MESSAGE_BYTES, Number.POSITIVE_INFINITY).map(({ items, bytes }) => ({
      message: { partition, jobs: items },
      bytes: bytes + OVERHEAD_BYTES,
    })),
  )
  const calls = packed(messages, ({ bytes }) => bytes, CALL_BYTES, CALL_MESSAGES)
  return calls.map(({ items }) => items.map(({ message }) => message))
}

function packed<Item>(items: readonly Item[], size: (item: Item) => number, maxBytes: number, maxItems: number) {
  const groups: { items: Item[]; bytes: number }[] = []
  for (const item of items) {
    const bytes = size(item)
    const last = groups.at(-1)
    if (last === undefined || last.bytes + bytes > maxBytes || last.items.length >= maxItems)
      groups.push({ items: [item], bytes })
    else {
      last.items.push(item)
      last.bytes += bytes
    }
  }
  return groups
}
