// What every handler looks like to the machinery around it.
import type { DeliveryEntry } from '#server/app/delivery-ports.ts'
import type { HandlerName } from '#server/domain/delivery/handlers.ts'

/** `later`: nothing failed, but it is not its turn; uses up no attempt. */
export type Outcome = { is: 'done' } | { is: 'failed'; error: unknown } | { is: 'later'; waitMs: number }

export const DONE: Outcome = { is: 'done' }

export type Handler = {
  name: HandlerName
  /** One outcome per entry; effects are durable when it says so. Throwing means that none of them is known to be done. */
  handle: (entries: DeliveryEntry[], signal: AbortSignal) => Promise<Outcome[]>
}

/** Of the time limit: after this a handler starts nothing new and says `later` for the rest, so that slow is not failed. */
export const BUDGET_MS = 10_000
/** For one request to somebody else. Budget and request together stay within the limit of a try. */
export const REQUEST_LIMIT_MS = 10_000

export function startBudget(): { spent: () => boolean } {
  const end = performance.now() + BUDGET_MS
  return { spent: () => performance.now() >= end }
}
