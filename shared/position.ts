// A place in the log: the epoch of the log it belongs to and the Redis stream id in it. Clients hold positions as
// opaque text; only the same epoch can be compared, because a wiped log starts its ids over.
import { err, ok, type Result } from './result.ts'

export type Position = { epoch: string; ms: number; n: number }

const PATTERN = /^([a-z0-9]{6,20})\.(\d{1,15})-(\d{1,9})$/

export const printPosition = (position: Position): string => `${position.epoch}.${position.ms}-${position.n}`

export function parsePosition(text: string, field = 'since'): Result<Position> {
  const match = PATTERN.exec(text)
  if (!match) return err('BAD_POSITION', 'This is not a position that we gave out.', field)
  return ok({ epoch: match[1]!, ms: Number(match[2]), n: Number(match[3]) })
}

/** The id part, as Redis writes it. */
export const streamId = (position: Position): string => `${position.ms}-${position.n}`

export function positionAt(epoch: string, id: string): Position {
  const dash = id.indexOf('-')
  return { epoch, ms: Number(id.slice(0, dash)), n: Number(id.slice(dash + 1)) }
}

/** Negative, zero or positive, as for `sort`; only meaningful within one epoch. */
export const comparePositions = (a: Position, b: Position): number => a.ms - b.ms || a.n - b.n
