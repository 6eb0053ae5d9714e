// Activities, the events of each topic (which are also the outbox), idempotency keys and read state.
// The tables that publish_batch fills have no foreign keys: it holds the topic's head row and knows the actor, and a
// check per row would cost more than the insert (docs/decisions/0003).
import { sql } from 'drizzle-orm'
import {
  bigint,
  customType,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const big = (name: string) => bigint(name, { mode: 'number' })
const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' })

export const activities = pgTable(
  'activities',
  {
    id: big('id').primaryKey().generatedAlwaysAsIdentity(),
    topicId: integer('topic_id').notNull(),
    seq: big('seq').notNull(),
    no: big('no').notNull(),
    /** A person, or null when a tool acted. */
    actorId: text('actor_id'),
    actorTool: text('actor_tool'),
    verb: text('verb').notNull(),
    object: jsonb('object'),
    target: jsonb('target'),
    summary: text('summary').notNull(),
    metadata: jsonb('metadata').notNull(),
    groupKey: text('group_key'),
    mentions: text('mentions').array().notNull(),
    publishedAt: at('published_at').notNull(),
    occurredAt: at('occurred_at'),
    source: text('source').notNull(),
    /** Grows with every edit; 0 while it is as it was published. */
    version: integer('version').notNull().default(0),
    editedAt: at('edited_at'),
    editedBy: text('edited_by'),
    /** What search finds it by: server/domain/search/words.ts, which splits queries too. */
    words: tsvector('words').notNull(),
  },
  (table) => [
    index('activities_words').using('gin', table.words),
    uniqueIndex('activities_topic_no').on(table.topicId, table.no),
    // The feed page: newest first within a topic, by id.
    index('activities_topic_id').on(table.topicId, table.id),
    index('activities_topic_verb_id').on(table.topicId, table.verb, table.id),
    // What somebody wrote themselves never counts as unread.
    index('activities_own').on(table.actorId, table.topicId, table.no).where(sql`actor_id is not null`),
  ],
)

/**
 * What is left of a deleted activity: its number, which is neither read nor unread, and who deleted it. Every number
 * above a topic's floor is either here or in `activities`.
 */
export const deletedActivities = pgTable(
  'deleted_activities',
  {
    topicId: integer('topic_id').notNull(),
    no: big('no').notNull(),
    activityId: big('activity_id').notNull(),
    /** Of the deletion's event. */
    seq: big('seq').notNull(),
    version: integer('version').notNull(),
    gone: text('gone', { enum: ['author', 'owner'] }).notNull(),
    deletedBy: text('deleted_by').notNull(),
    publishedAt: at('published_at').notNull(),
    deletedAt: at('deleted_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.topicId, table.no] }),
    uniqueIndex('deleted_activities_id').on(table.activityId),
  ],
)

export const activityMentions = pgTable(
  'activity_mentions',
  {
    userId: text('user_id').notNull(),
    activityId: big('activity_id').notNull(),
    topicId: integer('topic_id').notNull(),
    no: big('no').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.activityId] }),
    index('activity_mentions_topic').on(table.userId, table.topicId, table.activityId),
  ],
)

/**
 * Every event of a topic, in order: the outbox until it is in the log (log_ms null), then the index for resuming from
 * positions that memory no longer holds. Activities keep their body in `activities`; other events have it here.
 */
export const events = pgTable(
  'events',
  {
    topicId: integer('topic_id').notNull(),
    seq: big('seq').notNull(),
    activityId: big('activity_id'),
    change: jsonb('change'),
    createdAt: at('created_at').notNull(),
    logMs: big('log_ms'),
    logN: integer('log_n'),
  },
  (table) => [
    primaryKey({ columns: [table.topicId, table.seq] }),
    index('events_unrelayed').on(table.createdAt).where(sql`log_ms is null`),
    // Rows lie in the order of their age: a few bytes per hundred pages find the old ones.
    index('events_age').using('brin', table.createdAt),
    index('events_log').on(table.topicId, table.logMs, table.logN).where(sql`log_ms is not null`),
  ],
)

export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    scope: text('scope').notNull(),
    key: text('key').notNull(),
    bodyHash: text('body_hash').notNull(),
    activityId: big('activity_id').notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.key] }), index('idempotency_keys_age').on(table.createdAt)],
)

/**
 * One row a person: what they have read, as server/domain/read/kept.ts writes it. Redis has the current one; this is
 * replaced as a whole by a newer version of the same generation, or by a newer generation.
 */
export const readStates = pgTable('read_states', {
  userId: text('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  generation: big('generation').notNull(),
  version: big('version').notNull(),
  /** The newest row of read_operations that is contained. */
  lastOperation: big('last_operation').notNull().default(0),
  state: jsonb('state').notNull(),
})

/** Never given twice, also not after a rollback. */
export const readGenerations = pgSequence('read_generations')

/** What people did while Redis was away, in order, until a saved state contains it. */
export const readOperations = pgTable(
  'read_operations',
  {
    id: big('id').primaryKey().generatedAlwaysAsIdentity(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    operationId: text('operation_id').notNull().unique(),
    /** What its author was told. */
    version: big('version').notNull(),
    operation: jsonb('operation').notNull(),
  },
  (table) => [index('read_operations_user').on(table.userId, table.id)],
)
