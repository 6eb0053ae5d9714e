// Topics, who may see them and who follows them.
import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, pgView, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const userId = () =>
  text('user_id')
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })
const topicId = () =>
  integer('topic_id')
    .notNull()
    .references(() => topics.id, { onDelete: 'cascade' })

export const topics = pgTable('topics', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  name: text('name').notNull().unique(),
  description: text('description').notNull().default(''),
  visibility: text('visibility', { enum: ['public', 'private'] }).notNull(),
  posting: text('posting', { enum: ['everyone', 'owners'] })
    .notNull()
    .default('everyone'),
  createdAt: at('created_at').notNull().defaultNow(),
})

/** The row that a publish locks. Apart from `topics`, so that readers of settings never meet the writers' churn. */
export const topicHeads = pgTable('topic_heads', {
  topicId: integer('topic_id')
    .primaryKey()
    .references(() => topics.id, { onDelete: 'cascade' }),
  seq: bigint('seq', { mode: 'number' }).notNull().default(0),
  no: bigint('no', { mode: 'number' }).notNull().default(0),
  /** Activities up to this number have left the window. */
  floorNo: bigint('floor_no', { mode: 'number' }).notNull().default(0),
  latestAt: at('latest_at'),
})

export const topicMembers = pgTable(
  'topic_members',
  { topicId: topicId(), userId: userId(), role: text('role', { enum: ['owner', 'member'] }).notNull() },
  (table) => [primaryKey({ columns: [table.topicId, table.userId] }), index('topic_members_user').on(table.userId)],
)

export const follows = pgTable(
  'follows',
  {
    userId: userId(),
    topicId: topicId(),
    muted: boolean('muted').notNull().default(false),
    /** Read state belongs to one follow: whoever follows anew starts anew. */
    id: bigint('id', { mode: 'number' }).notNull().generatedByDefaultAsIdentity(),
    /** Up to this number everything counts as read when the follow begins. */
    startNo: bigint('start_no', { mode: 'number' }).notNull().default(0),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.topicId] }), index('follows_topic').on(table.topicId)],
)

/**
 * The one definition of who may see a topic, used by every query and by publish_batch: everybody (user_id null) for a
 * public topic, and its members.
 */
export const topicAccess = pgView('topic_access', {
  topicId: integer('topic_id').notNull(),
  userId: text('user_id'),
}).as(sql`select id as topic_id, null::text as user_id from topics where visibility = 'public'
  union all select topic_id, user_id from topic_members`)
