// What operators may ask for. The same schemas check the API and the command line.
import { z } from 'zod'
import { DEAD_CLASS_NAMES, HANDLER_NAMES, REASON_MAX_CHARS, REASON_MIN_CHARS, TREND_MINUTES } from './ops-words.ts'

export const handlerName = z.enum(HANDLER_NAMES, 'Must be mentions, webhooks or edge-relay.')
export const deadClass = z.enum(DEAD_CLASS_NAMES, 'Must be transient, client_crash, permanent or trimmed.')
export const deadId = z.string().regex(/^\d{1,15}-\d{1,9}$/, 'This is not the id of a dead letter.')
export const DEAD_IDS_MAX = 500

const filter = {
  handler: handlerName.optional(),
  class: deadClass.optional(),
  olderThanSeconds: z.int('Must be a whole number of seconds.').min(0).max(31_536_000).optional(),
}

export const deadListInput = z.strictObject({
  ...filter,
  cursor: deadId.optional(),
  limit: z.int().min(1, 'At least 1.').max(200, 'At most 200.').optional(),
})
export type DeadListInput = z.infer<typeof deadListInput>

export const deadActionInput = z
  .strictObject({
    action: z.enum(['replay', 'discard'], 'Must be replay or discard.'),
    /** Either these … */
    ids: z
      .array(deadId)
      .min(1, 'Choose at least one.')
      .max(DEAD_IDS_MAX, `At most ${DEAD_IDS_MAX} at a time.`)
      .optional(),
    /** … or all that fit. */
    filter: z.strictObject(filter).optional(),
    /** Goes on where the report before ended, so that no letter is met twice. */
    cursor: deadId.optional(),
    reason: z.string().trim().max(REASON_MAX_CHARS, `At most ${REASON_MAX_CHARS} characters.`).default(''),
    dryRun: z.boolean().default(false),
  })
  .refine(({ ids, filter: all }) => (ids === undefined) !== (all === undefined), {
    message: 'Give either ids or a filter.',
    path: ['ids'],
  })
  .refine(({ dryRun, reason }) => dryRun || reason.length >= REASON_MIN_CHARS, {
    message: 'Say why, for whoever reads this later.',
    path: ['reason'],
  })
export type ActionInput = z.infer<typeof deadActionInput>

export const trendsInput = z.strictObject({ minutes: z.literal(TREND_MINUTES) })
export const runbookInput = z.strictObject({ name: z.string().max(80) })
