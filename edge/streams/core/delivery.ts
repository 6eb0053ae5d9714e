// Copies of a source in a session's stream (SUB-4). The session keeps, for each source, how far it has copied, in the same
// transaction as the copy. Whatever comes then is judged by that place alone, so that messages may be lost, repeated or
// overtaken on the way.
import type { Position } from './offset.ts'

/**
 * A session that leaves and joins again is another generation; what was sent to the one before means nothing. A source
 * that was deleted and made anew is another incarnation; its offsets begin again.
 */
export type SourceCursor = { generation: number; incarnation: string; at: Position }

export type DeliveryHint = {
  /** Object name of the source. */
  source: string
  incarnation: string
  generation: number
  /** Where the carried bytes begin; null when none are carried. */
  prevOffset: Position | null
  offset: Position
}

export type DeliveryResult = 'delivered' | 'duplicate' | 'stale'

export type DeliveryStep =
  | { do: 'nothing'; result: DeliveryResult }
  | { do: 'append' }
  | { do: 'pull'; from: Position }
  /** Either the hint or the cursor is about a source that is no more: only the source knows which. */
  | { do: 'ask' }

export function judgeDelivery(cursor: SourceCursor | null, hint: DeliveryHint): DeliveryStep {
  if (cursor === null || cursor.generation !== hint.generation) return { do: 'nothing', result: 'stale' }
  if (cursor.incarnation !== hint.incarnation) return { do: 'ask' }
  if (hint.offset <= cursor.at) return { do: 'nothing', result: 'duplicate' }
  return hint.prevOffset === cursor.at ? { do: 'append' } : { do: 'pull', from: cursor.at }
}
