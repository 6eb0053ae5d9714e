// The bodies and queries that the jobs Worker reads, checked, and the one way to say what is wrong with them.
import type { z } from 'zod'
import { z as zod } from 'zod'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import { readBodyUpTo } from '../streams/request-body.ts'
import { outcomeSchema } from './core/outcome.ts'
import { MAX_BODY_BYTES } from './core/tuning.ts'

const MAX_PAGE = 200

export const completeSchema = outcomeSchema.extend({ token: zod.string() })
export const renewSchema = zod.strictObject({ token: zod.string() })
/** By partition; left out: all of them. */
export const drainSchema = zod.strictObject({ partition: zod.int().min(0).optional() })
/** Either the ids, or all that there are. */
export const deadSchema = zod.union([
  zod.strictObject({
    ids: zod
      .array(zod.string().regex(/^\d{1,3}-\d{1,15}$/))
      .min(1)
      .max(1_000),
  }),
  zod.strictObject({ all: zod.literal(true) }),
])
export const pageSchema = zod.object({
  partition: zod.coerce.number().int().min(0).optional(),
  before: zod.coerce.number().int().min(1).default(Number.MAX_SAFE_INTEGER),
  limit: zod.coerce.number().int().min(1).max(MAX_PAGE).default(50),
})

export async function readJson<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema> | Refusal> {
  const body = await readBodyUpTo(request, MAX_BODY_BYTES)
  return isRefusal(body) ? body : checked(schema, parseJson(body))
}

export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> | Refusal {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  return refuse(400, `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'is not valid'}`)
}

function parseJson(body: Uint8Array): unknown {
  if (body.length === 0) return {}
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    // The schema says what was expected.
    return undefined
  }
}
