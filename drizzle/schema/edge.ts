// The sessions at the edge through which browsers are told live, and what each of them may hold there. It is the wish that
// the edge is brought to: whatever differs is repeated until it fits. No foreign keys: a row outlives the sign-in and the
// person it belongs to, until the edge has forgotten the session too.
import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const edgeSessions = pgTable(
  'edge_sessions',
  {
    id: text('id').primaryKey(),
    userId: text('user_id').notNull(),
    /** The sign-in that it belongs to and ends with. */
    loginSession: text('login_session').notNull(),
    /** Every topic that it may listen to at this moment: written before the edge hears of it, shortened afterwards. */
    topics: integer('topics').array().notNull(),
    /** The version of the person's follows that the edge was last asked for, and the last one that it confirmed. */
    plannedVersion: integer('planned_version').notNull(),
    appliedVersion: integer('applied_version'),
    expiresAt: at('expires_at').notNull(),
    endedAt: at('ended_at'),
    /** Nobody looks after it again before this. */
    retryAt: at('retry_at').notNull(),
  },
  (table) => [
    index('edge_sessions_user').on(table.userId),
    index('edge_sessions_login').on(table.loginSession),
    index('edge_sessions_retry').on(table.retryAt),
    index('edge_sessions_topics').using('gin', table.topics).where(sql`ended_at is null`),
  ],
)
