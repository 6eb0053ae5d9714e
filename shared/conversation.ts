// Reactions and comments on an activity: what may be asked for. What is answered is in talk.ts.
import { z } from 'zod'
import { idempotencyKey, text } from './activity.ts'
import { COMMENT_MAX_CHARS } from './limits.ts'

/** Different emoji on one activity, and comments: beyond these it is noise, and what is sent stays small. */
export const EMOJI_KINDS_MAX = 24
export const COMMENTS_MAX = 1_000
/** Threads on a page of comments. */
export const THREADS_PAGE = 20

/** One picture as people see it, however many code points it is made of. */
const emoji = z
  .string()
  .max(40, 'One emoji.')
  .regex(/^\p{RGI_Emoji}$/v, 'One emoji.')
const id = z.int().positive()

export const reactInput = z.strictObject({ id, emoji: emoji.nullable() })
export const talksInput = z.strictObject({ ids: z.array(id).min(1).max(500, 'At most 500 ids.') })
export const threadInput = z.strictObject({ activity: id, cursor: z.string().max(100).nullish() })
export const addCommentInput = z.strictObject({
  activity: id,
  /** The comment to answer. An answer to an answer joins the same thread. */
  parent: id.nullish(),
  text: text(COMMENT_MAX_CHARS),
  idempotencyKey: idempotencyKey.optional(),
})
export const editCommentInput = z.strictObject({ id, text: text(COMMENT_MAX_CHARS) })
export const commentInput = z.strictObject({ id })

export type AddCommentInput = z.infer<typeof addCommentInput>
