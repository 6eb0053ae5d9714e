// What people say about an activity: reactions, comments one level deep, and whom a comment concerns. Every change is
// made under the lock of the topic's head row and raises the conversation's version, by which receivers order what they
// hear. No foreign keys to activities: those leave in batches, and what hangs on them leaves with them.
import { sql } from 'drizzle-orm'
import { bigint, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const big = (name: string) => bigint(name, { mode: 'number' })
const person = (name: string) => text(name).references(() => users.id, { onDelete: 'cascade' })

/** One row per activity that anybody has reacted to or commented on: what a row of the feed shows, ready to be read. */
export const conversations = pgTable('conversations', {
  activityId: big('activity_id').primaryKey(),
  version: integer('version').notNull(),
  /** `[{ emoji, count }]`, most used first. */
  reactions: jsonb('reactions').notNull(),
  comments: integer('comments').notNull(),
})

/** One emoji per person and activity. */
export const reactions = pgTable(
  'reactions',
  {
    activityId: big('activity_id').notNull(),
    userId: person('user_id').notNull(),
    emoji: text('emoji').notNull(),
    reactedAt: at('reacted_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.activityId, table.userId] }), index('reactions_user').on(table.userId)],
)

/** A deleted comment keeps its row without its words, so that its version can overtake whatever is still on its way. */
export const comments = pgTable(
  'comments',
  {
    id: big('id').primaryKey().generatedAlwaysAsIdentity(),
    activityId: big('activity_id').notNull(),
    topicId: integer('topic_id').notNull(),
    /** The comment that this one answers; null for those that answer the activity. */
    parentId: big('parent_id'),
    /** Null when the account is gone. */
    authorId: text('author_id').references(() => users.id, { onDelete: 'set null' }),
    body: text('body').notNull(),
    mentions: text('mentions').array().notNull(),
    /** The conversation's version that the last change of this comment made. */
    version: integer('version').notNull(),
    createdAt: at('created_at').notNull(),
    editedAt: at('edited_at'),
    editedBy: text('edited_by').references(() => users.id, { onDelete: 'set null' }),
    deletedAt: at('deleted_at'),
    key: text('key'),
  },
  (table) => [
    index('comments_roots').on(table.activityId, table.id).where(sql`parent_id is null`),
    index('comments_replies').on(table.parentId, table.id).where(sql`parent_id is not null`),
    uniqueIndex('comments_key').on(table.authorId, table.key).where(sql`key is not null`),
  ],
)

/** Whom a comment concerns, and why: they find it behind the bell until they have seen it. */
export const notices = pgTable(
  'notices',
  {
    userId: person('user_id').notNull(),
    commentId: big('comment_id').notNull(),
    activityId: big('activity_id').notNull(),
    topicId: integer('topic_id').notNull(),
    kind: text('kind', { enum: ['mention', 'reply', 'comment'] }).notNull(),
    readAt: at('read_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.commentId] }),
    index('notices_unread').on(table.userId, table.commentId).where(sql`read_at is null`),
    index('notices_comment').on(table.commentId),
  ],
)
