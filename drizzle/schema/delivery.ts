// What the handlers behind the log have done, what operators did with dead letters, and what the handlers leave behind.
import { bigint, customType, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { topics } from './topics.ts'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const big = (name: string) => bigint(name, { mode: 'number' })
const multirange = customType<{ data: string }>({ dataType: () => 'int8multirange' })
const topicId = () =>
  integer('topic_id')
    .notNull()
    .references(() => topics.id, { onDelete: 'cascade' })

/** Handlers that run. What came before `since` is not theirs. */
export const deliveryHandlers = pgTable('delivery_handlers', {
  handler: text('handler').primaryKey(),
  since: at('since').notNull().defaultNow(),
})

/** Per topic and handler, the numbers (seq) that are finished. What is missing here is owed, whatever Redis remembers. */
export const deliveryProgress = pgTable(
  'delivery_progress',
  { topicId: topicId(), handler: text('handler').notNull(), done: multirange('done').notNull() },
  (table) => [primaryKey({ columns: [table.topicId, table.handler] })],
)

/** Who replayed or discarded which dead letter, when and why. Written before it happens; `outcome` afterwards. */
export const deliveryActions = pgTable(
  'delivery_actions',
  {
    id: big('id').primaryKey().generatedAlwaysAsIdentity(),
    at: at('at').notNull().defaultNow(),
    action: text('action', { enum: ['replay', 'discard'] }).notNull(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    handler: text('handler').notNull(),
    topicId: integer('topic_id').notNull(),
    seq: big('seq').notNull(),
    deadId: text('dead_id').notNull(),
    outcome: text('outcome'),
  },
  (table) => [index('delivery_actions_at').on(table.at), index('delivery_actions_place').on(table.topicId, table.seq)],
)

/** People who are to be told that they were mentioned, each once per activity. */
export const mentionNotices = pgTable(
  'mention_notices',
  {
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    activityId: big('activity_id').notNull(),
    topicId: topicId(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.activityId] })],
)

/** How far each topic has been sent to the edge. */
export const edgeCursors = pgTable('edge_cursors', {
  topicId: integer('topic_id')
    .primaryKey()
    .references(() => topics.id, { onDelete: 'cascade' }),
  seq: big('seq').notNull(),
})

/** Events that the edge did not take; a tombstone has their place there. */
export const edgeRefusals = pgTable(
  'edge_refusals',
  { topicId: topicId(), seq: big('seq').notNull(), reason: text('reason').notNull() },
  (table) => [primaryKey({ columns: [table.topicId, table.seq] })],
)
