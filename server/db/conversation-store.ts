// Reactions and comments in Postgres. Every change holds the topic's head row from its first statement on, like a
// publish: who may see the topic, the counts and the version cannot change under it, and its event has its place in the
// topic's own sequence.
import type pg from 'pg'
import type { ConversationStore, TalkOutcome } from '#server/app/ports.ts'
import { type ActivityRow, toActivity } from '#server/domain/feed/wire.ts'
import type { Activity } from '#shared/activity.ts'
import { COMMENTS_MAX, EMOJI_KINDS_MAX } from '#shared/conversation.ts'
import { type Comment, type ReactionCount, recount, type Said, type Talk, type TalkChange } from '#shared/talk.ts'
import { appendChange } from './append-change.ts'
import { COMMENT_COLUMNS, COMMENT_JOINS, type CommentRow, toComment } from './comment-row.ts'
import { ITEM_COLUMNS, ITEM_JOINS, mayView, seenMentions } from './feed-sql.ts'
import { insertNotices, keepNoticesOf } from './notices-sql.ts'
import { TALK_COLUMNS, TALK_JOINS, type TalkRow, toTalk } from './talk-row.ts'
import { inTransaction, type Queryable } from './transaction.ts'

/** What is decided on, as it is under the lock. */
type Place = {
  topicId: number
  activityId: number
  viewer: string
  isOwner: boolean
  version: number
  reactions: ReactionCount[]
  comments: number
  own: string | null
}

type Change = Pick<TalkChange, 'reactions' | 'comments' | 'reacted' | 'comment' | 'concerns'>

export function createConversationStore(pool: pg.Pool): ConversationStore {
  return {
    react: (viewer, activityId, emoji) =>
      inTransaction(pool, async (tx): Promise<TalkOutcome<Talk>> => {
        const place = await enter(tx, viewer, activityId)
        if (!place) return { outcome: 'hidden' }
        if (place.own === emoji) return { outcome: 'unchanged', answer: talkOf(place) }
        const reactions = recount(place.reactions, place.own, emoji)
        if (reactions.length > EMOJI_KINDS_MAX) return { outcome: 'too-many' }
        if (emoji === null)
          await tx.query('delete from reactions where activity_id = $1 and user_id = $2', [activityId, viewer])
        else
          await tx.query(
            `insert into reactions (activity_id, user_id, emoji, reacted_at) values ($1, $2, $3, clock_timestamp())
             on conflict (activity_id, user_id) do update set emoji = excluded.emoji, reacted_at = excluded.reacted_at`,
            [activityId, viewer, emoji],
          )
        const reacted = { person: viewer, emoji }
        const told = await tell(tx, place, {
          ...{ reactions, comments: place.comments, reacted, comment: null, concerns: [] },
        })
        return { outcome: 'changed', ...told, answer: talkOf({ ...place, ...told.change, own: emoji }) }
      }),

    add: (author, { activityId, parentId, text, mentions, key }) =>
      inTransaction(pool, async (tx): Promise<TalkOutcome<Said>> => {
        const place = await enter(tx, author, activityId)
        if (!place) return { outcome: 'hidden' }
        const first = key === null ? null : await commentBy(tx, 'c.author_id = $1 and c.key = $2', [author, key])
        if (first) {
          const same =
            first.activity === activityId && (first.text === text || first.editedAt !== null || first.deleted)
          return same
            ? { outcome: 'unchanged', answer: { comment: first, talk: talkOf(place) } }
            : { outcome: 'reused' }
        }
        const parent = parentId === null ? null : await commentBy(tx, 'c.id = $1', [parentId])
        if (parentId !== null && (parent?.activity !== activityId || parent.deleted)) return { outcome: 'hidden' }
        if (place.comments >= COMMENTS_MAX) return { outcome: 'too-many' }
        const root = parent === null ? null : (parent.parent ?? parent.id)
        const { rows } = await tx.query<{ id: string }>(
          `insert into comments (activity_id, topic_id, parent_id, author_id, body, mentions, version, created_at, key)
           values ($1, $2, $3, $4, $5, ${seenMentions('$6', '$2')}, $7, clock_timestamp(), $8)
           on conflict do nothing returning id`,
          [activityId, place.topicId, root, author, text, mentions, place.version + 1, key],
        )
        // The same key, at the same moment, in another topic.
        if (!rows[0]) return { outcome: 'reused' }
        const comment = (await commentBy(tx, 'c.id = $1', [rows[0].id]))!
        const concerns = await insertNotices(tx, place.topicId, comment)
        return said(tx, place, comment, place.comments + 1, concerns)
      }),

    rewrite: (actor, commentId, words) =>
      inTransaction(pool, async (tx): Promise<TalkOutcome<Said>> => {
        const found = await commentBy(tx, 'c.id = $1', [commentId])
        const place = found && (await enter(tx, actor, found.activity))
        // Read again under the lock: it may have been deleted while we waited.
        const before = place && (await commentBy(tx, 'c.id = $1', [commentId]))
        if (!before || before.deleted) return { outcome: 'hidden' }
        if (before.author.id !== actor && !place.isOwner) return { outcome: 'denied' }
        if (words?.text === before.text)
          return { outcome: 'unchanged', answer: { comment: before, talk: talkOf(place) } }
        await tx.query(
          words === null
            ? `update comments set body = '', mentions = '{}', version = $2, deleted_at = clock_timestamp() where id = $1`
            : `update comments set body = $3, mentions = ${seenMentions('$4', '$5')}, version = $2,
                 edited_at = clock_timestamp(), edited_by = $6 where id = $1`,
          words === null
            ? [commentId, place.version + 1]
            : [commentId, place.version + 1, words.text, words.mentions, place.topicId, actor],
        )
        const comment = (await commentBy(tx, 'c.id = $1', [commentId]))!
        await keepNoticesOf(tx, comment)
        const concerns = comment.deleted ? [] : await insertNotices(tx, place.topicId, comment)
        return said(tx, place, comment, place.comments - (comment.deleted ? 1 : 0), concerns)
      }),

    async talks(viewer, activityIds) {
      const { rows } = await pool.query<TalkRow & ActivityRow>({
        name: 'talks',
        text: `select ${ITEM_COLUMNS}, ${TALK_COLUMNS} from activities a ${ITEM_JOINS} ${TALK_JOINS}
          where a.id = any($2::bigint[]) and ${mayView('a.topic_id', '$1')}`,
        values: [viewer, activityIds],
      })
      const wordsOf = ({ summary, mentions, edited }: Activity) => edited && { summary, mentions, edited }
      return new Map(rows.map((row) => [Number(row.id), { talk: toTalk(row), words: wordsOf(toActivity(row)) }]))
    },

    async threads(activityId, before, limit) {
      const { rows } = await pool.query<CommentRow>({
        name: 'threads',
        // A deleted comment is only there to hold answers together.
        text: `with roots as materialized (
            select c.id from comments c where c.activity_id = $1 and c.parent_id is null and c.id < $2
              and (c.deleted_at is null
                or exists (select 1 from comments r where r.parent_id = c.id and r.deleted_at is null))
            order by c.id desc limit $3 + 1)
          select ${COMMENT_COLUMNS} from (
            select id from roots union all
            select r.id from roots join comments r on r.parent_id = roots.id where r.deleted_at is null) picked
          join comments c on c.id = picked.id ${COMMENT_JOINS} order by c.id`,
        values: [activityId, before ?? Number.MAX_SAFE_INTEGER, limit],
      })
      return rows.map(toComment)
    },
  }
}

/** Locks the topic, then reads everything that a decision needs. Null when there is no such activity for the viewer. */
async function enter(tx: Queryable, viewer: string, activityId: number): Promise<Place | null> {
  await tx.query(
    `select 1 from activities a join topic_heads h on h.topic_id = a.topic_id where a.id = $1 for update of h`,
    [activityId],
  )
  const { rows } = await tx.query<TalkRow & { topic_id: number; is_owner: boolean }>(
    `select a.topic_id, ${TALK_COLUMNS}, exists (select 1 from topic_members m
         where m.topic_id = a.topic_id and m.user_id = $1 and m.role = 'owner') as is_owner
     from activities a ${TALK_JOINS} where a.id = $2 and ${mayView('a.topic_id', '$1')}`,
    [viewer, activityId],
  )
  const row = rows[0]
  if (!row) return null
  const { own, ...counts } = toTalk(row)
  return { topicId: row.topic_id, activityId, viewer, isOwner: row.is_owner, ...counts, own: own.emoji }
}

async function tell(tx: Queryable, place: Place, parts: Change) {
  const { activityId, topicId } = place
  const version = place.version + 1
  await tx.query(
    `insert into conversations (activity_id, version, reactions, comments) values ($1, $2, $3, $4)
     on conflict (activity_id) do update set version = excluded.version, reactions = excluded.reactions, comments = excluded.comments`,
    [activityId, version, JSON.stringify(parts.reactions), parts.comments],
  )
  const change: TalkChange = { kind: 'talk', activity: activityId, version, ...parts }
  return { topicId, seq: await appendChange(tx, topicId, change), change }
}

async function said(
  tx: Queryable,
  place: Place,
  comment: Comment,
  comments: number,
  concerns: string[],
): Promise<TalkOutcome<Said>> {
  const told = await tell(tx, place, { reactions: place.reactions, comments, reacted: null, comment, concerns })
  return { outcome: 'changed', ...told, answer: { comment, talk: talkOf({ ...place, ...told.change }) } }
}

const talkOf = ({ version, reactions, comments, own }: Place): Talk => ({
  ...{ version, reactions, comments },
  own: { emoji: own, version },
})

async function commentBy(tx: Queryable, condition: string, values: unknown[]): Promise<Comment | null> {
  const { rows } = await tx.query<CommentRow>(
    `select ${COMMENT_COLUMNS} from comments c ${COMMENT_JOINS} where ${condition}`,
    values,
  )
  return rows[0] ? toComment(rows[0]) : null
}
