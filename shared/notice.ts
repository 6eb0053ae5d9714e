// What somebody finds behind their bell besides activities that mention them: comments that concern them.
import { z } from 'zod'
import type { Comment } from './talk.ts'

export const NOTICES_PAGE = 30

/** Why: it mentions them, it answers in a thread of theirs, or it is on an activity of theirs. */
export type NoticeKind = 'mention' | 'reply' | 'comment'

export type Notice = {
  comment: Comment
  kind: NoticeKind
  topic: { id: number; name: string }
  /** The activity in a few words. */
  about: string
  read: boolean
}

export type Notices = { notices: Notice[]; cursor: string | null; unread: number }

const id = z.int().positive()

export const noticesInput = z.strictObject({ cursor: z.string().max(100).nullish() })
/** Those on one activity, or all up to a comment. */
export const noticesSeenInput = z.union(
  [z.strictObject({ activity: id }), z.strictObject({ upTo: id })],
  'Say which activity, or up to which comment.',
)

export type NoticesSeen = z.infer<typeof noticesSeenInput>
