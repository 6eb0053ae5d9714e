// Page cursors: opaque to clients, checked strictly. A made-up one that happens to parse only moves within what its
// reader may see anyway.
import { err, ok, type Result } from '#shared/result.ts'

const PATTERN = /^p1_([1-9a-z][0-9a-z]{0,10})$/

export const printCursor = (id: number): string => `p1_${id.toString(36)}`

export function parseCursor(text: string): Result<number> {
  const match = PATTERN.exec(text)
  const id = match ? Number.parseInt(match[1]!, 36) : Number.NaN
  if (!Number.isSafeInteger(id)) return err('BAD_CURSOR', 'This is not a cursor that we gave out.', 'cursor')
  return ok(id)
}
