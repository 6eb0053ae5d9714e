// Addresses to which a topic's activities are posted, what was posted there, and how it was answered.
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { topics } from './topics.ts'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
const big = (name: string) => bigint(name, { mode: 'number' })

export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    topicId: integer('topic_id')
      .notNull()
      .references(() => topics.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    /** The secret is derived from it and stored nowhere. */
    salt: text('salt').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
    /** Nothing is posted while it is paused. */
    pausedAt: at('paused_at'),
    pausedFor: text('paused_for', { enum: ['owner', 'failing', 'gone', 'rights'] }),
    /** The owner has seen that it was paused for them. */
    noticedAt: at('noticed_at'),
    /** The first failure after the last success. */
    failingSince: at('failing_since'),
  },
  (table) => [index('webhook_endpoints_owner').on(table.ownerId), index('webhook_endpoints_topic').on(table.topicId)],
)

export const webhookDeliveries = pgTable(
  'webhook_deliveries',
  {
    id: big('id').primaryKey().generatedAlwaysAsIdentity(),
    endpointId: integer('endpoint_id')
      .notNull()
      .references(() => webhookEndpoints.id, { onDelete: 'cascade' }),
    /** What the receiver knows a repeat by. */
    messageId: text('message_id').notNull(),
    type: text('type', { enum: ['activity', 'activity.edited', 'activity.deleted', 'test'] }).notNull(),
    /** Null for a test. */
    activityId: big('activity_id'),
    about: text('about').notNull(),
    /** Empty once the activity is deleted. */
    body: text('body').notNull(),
    state: text('state', { enum: ['waiting', 'retrying', 'delivered', 'failed'] })
      .notNull()
      .default('waiting'),
    /** Raised when it is sent again by hand. */
    run: integer('run').notNull().default(1),
    attempts: integer('attempts').notNull().default(0),
    createdAt: at('created_at').notNull().defaultNow(),
    /** When the job partitions last took it; null: they have not yet. */
    handedAt: at('handed_at'),
  },
  (table) => [
    uniqueIndex('webhook_deliveries_message').on(table.endpointId, table.messageId),
    index('webhook_deliveries_open').on(table.state, table.handedAt),
    index('webhook_deliveries_age').on(table.createdAt),
    index('webhook_deliveries_activity').on(table.activityId),
  ],
)

export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    deliveryId: big('delivery_id')
      .notNull()
      .references(() => webhookDeliveries.id, { onDelete: 'cascade' }),
    no: integer('no').notNull(),
    at: at('at').notNull(),
    tookMs: integer('took_ms').notNull(),
    /** Null: there was no answer. */
    status: integer('status'),
    /** Why there was none, in a few words. */
    error: text('error'),
    /** The beginning of what was answered. */
    answer: text('answer'),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.no] })],
)
