// Keys with which tools publish, and the topics that each is for.
import { index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { users } from './accounts.ts'
import { topics } from './topics.ts'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const apiKeys = pgTable(
  'api_keys',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    /** `bearer`: sent with each request. `github`: signs what GitHub sends. */
    kind: text('kind', { enum: ['bearer', 'github'] }).notNull(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** What activities published with it show as their actor or source. */
    source: text('source').notNull(),
    /** The part that may be seen: the beginning of a bearer key, the last part of a GitHub source's address. */
    prefix: text('prefix').notNull().unique(),
    /** SHA-256 of a bearer secret, in hex. Secrets of GitHub sources are derived, not stored. */
    secretHash: text('secret_hash'),
    createdAt: at('created_at').notNull().defaultNow(),
    lastUsedAt: at('last_used_at'),
    revokedAt: at('revoked_at'),
  },
  (table) => [index('api_keys_owner').on(table.ownerId)],
)

export const apiKeyTopics = pgTable(
  'api_key_topics',
  {
    keyId: integer('key_id')
      .notNull()
      .references(() => apiKeys.id, { onDelete: 'cascade' }),
    topicId: integer('topic_id')
      .notNull()
      .references(() => topics.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.topicId] }), index('api_key_topics_topic').on(table.topicId)],
)
