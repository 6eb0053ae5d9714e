// Activities in Postgres: publishing in batches, pages by keyset, single gets. Visibility is always the view topic_access.
import type pg from 'pg'
import type { ActivityStore, Publication, PublishOutcome, SpokenOf } from '#server/app/ports.ts'
import { type ActivityRow, toActivity } from '#server/domain/feed/wire.ts'
import { wordsToFind } from '#server/domain/search/words.ts'
import type { Visibility } from '#shared/topic.ts'
import { feedPageSql, ITEM_COLUMNS, ITEM_JOINS, mayView } from './feed-sql.ts'
import { TALK_COLUMNS, TALK_JOINS, type TalkRow, toTalk } from './talk-row.ts'
import { inTransaction, type Queryable } from './transaction.ts'

type ItemRow = ActivityRow & TalkRow
type PlaceRow = {
  id: string
  topic_id: number
  no: string
  published_at: Date
  floor_no: string
  follow: string | null
  start_no: string | null
}
type OutcomeRow = {
  ord: number
  outcome: PublishOutcome['outcome']
  topic_id: number
  visibility: Visibility
  id: string | null
  seq: string | null
  no: string | null
  published_at: Date
  mentions: string[] | null
}

export function createActivityStore(pool: pg.Pool): ActivityStore {
  return {
    publishBatch: (batch) => publish(pool, batch),

    async publishTogether(batch) {
      try {
        return await inTransaction(pool, async (tx) => {
          const outcomes = await publish(tx, batch)
          if (outcomes.some(({ outcome }) => outcome !== 'fresh' && outcome !== 'replay')) throw new Refused(outcomes)
          return outcomes
        })
      } catch (error) {
        if (error instanceof Refused) return error.outcomes
        throw error
      }
    },

    async published(ids) {
      const { rows } = await pool.query<ActivityRow>({
        name: 'activities_published',
        text: `select ${ITEM_COLUMNS} from activities a ${ITEM_JOINS} where a.id = any($1::bigint[])`,
        values: [ids],
      })
      return new Map(rows.map((row) => [Number(row.id), toActivity(row)]))
    },

    async get(viewer, id) {
      const { rows } = await pool.query<ItemRow>({
        name: 'activity_get',
        text: `select ${ITEM_COLUMNS}, ${TALK_COLUMNS} from activities a ${ITEM_JOINS} ${TALK_JOINS} where a.id = $2 and ${mayView('a.topic_id', '$1')}`,
        values: [viewer, id],
      })
      return rows[0] ? toItem(rows[0]) : null
    },

    async page(query) {
      const { name, text, values } = feedPageSql(query)
      const { rows } = await pool.query<ItemRow>({ name, text, values })
      return rows.map(toItem)
    },

    async places(viewer, ids) {
      const { rows } = await pool.query<PlaceRow>({
        name: 'activity_places',
        text: `select a.id, a.topic_id, a.no, a.published_at, h.floor_no, f.id as follow, f.start_no
               from activities a join topic_heads h on h.topic_id = a.topic_id
               left join follows f on f.topic_id = a.topic_id and f.user_id = $1
               where a.id = any($2::bigint[]) and ${mayView('a.topic_id', '$1')}`,
        values: [viewer, ids],
      })
      return rows.map((row) => ({
        id: Number(row.id),
        topicId: row.topic_id,
        no: Number(row.no),
        floor: Number(row.floor_no),
        follow: row.follow === null ? null : { id: Number(row.follow), start: Number(row.start_no) },
        publishedAt: row.published_at.getTime(),
      }))
    },

    async numbersBefore(topicIds, before) {
      const { rows } = await pool.query<{ topic_id: number; no: string }>({
        name: 'numbers_before',
        text: `select t.topic_id, n.no from unnest($1::int[]) as t(topic_id)
               cross join lateral (
                 select a.no from activities a where a.topic_id = t.topic_id and a.id < $2 order by a.id desc limit 1) n`,
        values: [topicIds, before],
      })
      return new Map(rows.map((row) => [row.topic_id, Number(row.no)]))
    },
  }
}

/** Ends a transaction without a trace, and carries what it would have brought. */
class Refused extends Error {
  readonly outcomes: PublishOutcome[]

  constructor(outcomes: PublishOutcome[]) {
    super('refused')
    this.outcomes = outcomes
  }
}

async function publish(db: Queryable, batch: Publication[]): Promise<PublishOutcome[]> {
  const { rows } = await db.query<OutcomeRow>({
    name: 'publish_batch',
    text: 'select * from publish_batch($1::jsonb, $2::text[], $3)',
    values: [
      JSON.stringify(batch.map(toBatchRow)),
      [...new Set(batch.map(({ topic }) => topic))],
      batch.some(({ idempotency }) => idempotency !== null),
    ],
  })
  const outcomes: PublishOutcome[] = new Array(batch.length)
  for (const row of rows) outcomes[row.ord - 1] = toOutcome(batch[row.ord - 1]!, row)
  return outcomes
}

const toItem = (row: ItemRow): SpokenOf => ({ ...toActivity(row), talk: toTalk(row) })

/** Without what the row does not have: JSON leaves `undefined` out, and Postgres reads none as null. */
function toBatchRow({ topic, actor, onBehalfOf, source, input, idempotency }: Publication, index: number) {
  return {
    ord: index + 1,
    topic,
    actor_id: actor.kind === 'person' ? actor.id : undefined,
    actor_tool: actor.kind === 'tool' ? actor.name : undefined,
    on_behalf_of: onBehalfOf,
    verb: input.verb,
    object: input.object,
    target: input.target,
    summary: input.summary,
    metadata: input.metadata,
    group_key: input.groupKey,
    mentions: input.mentions.length > 0 ? input.mentions : undefined,
    // In our own words: Postgres refuses some offsets that are valid elsewhere.
    occurred_at: input.occurredAt ? new Date(input.occurredAt).toISOString() : undefined,
    source,
    words: wordsToFind(actor, input).join(' '),
    idem_scope: idempotency?.scope,
    idem_key: idempotency?.key,
    body_hash: idempotency?.bodyHash,
  }
}

function toOutcome({ topic, actor, source, input }: Publication, row: OutcomeRow): PublishOutcome {
  if (row.outcome === 'replay') return { outcome: 'replay', activityId: Number(row.id) }
  if (row.outcome !== 'fresh') return { outcome: row.outcome }
  return {
    outcome: 'fresh',
    activity: {
      id: Number(row.id),
      topic: { id: row.topic_id, name: topic, visibility: row.visibility },
      seq: Number(row.seq),
      no: Number(row.no),
      actor,
      verb: input.verb,
      object: input.object ?? null,
      target: input.target ?? null,
      summary: input.summary,
      metadata: input.metadata,
      groupKey: input.groupKey ?? null,
      mentions: row.mentions ?? [],
      publishedAt: row.published_at.toISOString(),
      occurredAt: input.occurredAt ? new Date(input.occurredAt).toISOString() : null,
      source,
      edited: null,
    },
  }
}
