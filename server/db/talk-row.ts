// The conversation about an activity `a` as the viewer $1 sees it, for any query that shows activities.
import type { ReactionCount, Talk } from '#shared/talk.ts'

export const TALK_COLUMNS = `coalesce(k.version, 0) as talk_version, coalesce(k.reactions, '[]') as talk_reactions,
  coalesce(k.comments, 0) as talk_comments, own.emoji as talk_own`
export const TALK_JOINS = `left join conversations k on k.activity_id = a.id
  left join reactions own on own.activity_id = a.id and own.user_id = $1`

export type TalkRow = {
  talk_version: number
  talk_reactions: ReactionCount[]
  talk_comments: number
  talk_own: string | null
}

export const toTalk = (row: TalkRow): Talk => ({
  version: row.talk_version,
  reactions: row.talk_reactions,
  comments: row.talk_comments,
  own: { emoji: row.talk_own, version: row.talk_version },
})
