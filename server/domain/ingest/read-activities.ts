// A request's JSON as activities: one object, or a list. Either all are as they should be, or the first problem is named
// with its place in the request.
import { z } from 'zod'
import { type PublishInput, publishInput } from '#shared/activity.ts'
import { INGEST_MAX } from '#shared/api-key.ts'
import { firstProblem } from '#shared/first-problem.ts'
import { err, ok, type Result } from '#shared/result.ts'

/** `many`: sent as a list, whatever its length. */
export type Reading = { inputs: PublishInput[]; many: boolean }

/** Nothing honest is deeper; what checks values walks them by recursion. */
const DEPTH_MAX = 64

const list = z.array(z.unknown()).min(1, 'Send at least one.').max(INGEST_MAX, `At most ${INGEST_MAX} at once.`)

export function readActivities(body: unknown): Result<Reading> {
  if (!Array.isArray(body)) {
    const parsed = publishInput.safeParse(body)
    return parsed.success ? ok({ inputs: [parsed.data], many: false }) : problem(parsed.error)
  }
  const counted = readList(body)
  if (!counted.ok) return counted
  const parsed = z.array(publishInput).safeParse(body)
  return parsed.success ? ok({ inputs: parsed.data, many: true }) : problem(parsed.error)
}

/** The length first: a hundred thousand entries are not looked at one by one. */
export function readList(body: unknown): Result<unknown[]> {
  const counted = list.safeParse(body)
  return counted.success ? ok(counted.data) : problem(counted.error)
}

export function readJson(text: string): Result<unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return err('INVALID_INPUT', 'The body is not valid JSON.', 'body')
  }
  return isShallow(value) ? ok(value) : err('INVALID_INPUT', `At most ${DEPTH_MAX} levels deep.`, 'body')
}

/** Level by level, not by recursion: the depth is what is in question. */
function isShallow(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= DEPTH_MAX; depth++) {
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []))
    if (level.length === 0) return true
  }
  return false
}

function problem(error: z.ZodError) {
  const { message, field } = firstProblem(error, 'body')
  return err('INVALID_INPUT', message, field)
}
