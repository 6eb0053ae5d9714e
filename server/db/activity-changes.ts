// Changing and deleting activities in Postgres. Like a publish, every change holds the topic's head row from its first
// statement on: who may see and change it is decided there, and the change's event has its place in the topic's own
// sequence. A deleted activity leaves the table with all that was said about it; only its number stays behind.
import type pg from 'pg'
import type { ActivityChanges, EditOutcome } from '#server/app/ports.ts'
import { type ActivityRow, toActivity } from '#server/domain/feed/wire.ts'
import { wordsToFind } from '#server/domain/search/words.ts'
import type { ActivityChange, Gone } from '#shared/activity-change.ts'
import { appendChange } from './append-change.ts'
import { ITEM_COLUMNS, ITEM_JOINS, mayView, seenMentions } from './feed-sql.ts'
import { removalParts } from './removal-sql.ts'
import { inTransaction, type Queryable } from './transaction.ts'

/** What is decided on, as it is under the lock. */
type Place = { row: ActivityRow; gone: Exclude<Gone, 'age'> | null }

export function createActivityChanges(pool: pg.Pool): ActivityChanges {
  return {
    rewrite: (actor, activityId, { summary, mentions }) =>
      inTransaction(pool, async (tx): Promise<EditOutcome> => {
        const place = await enter(tx, actor, activityId)
        if (!place) return { outcome: 'hidden' }
        if (place.gone === null) return { outcome: 'denied' }
        if (place.row.summary === summary) return { outcome: 'unchanged', change: wordsOf(place.row) }
        await tx.query(
          `update activities set summary = $2, mentions = ${seenMentions('$3', '$4')}, version = version + 1,
             edited_at = clock_timestamp(), edited_by = $5, words = array_to_tsvector($6::text[]) where id = $1`,
          [activityId, summary, mentions, place.row.topic_id, actor, foundBy(place.row, summary)],
        )
        const row = (await find(tx, activityId))!
        await keepMentions(tx, row)
        return told(tx, row.topic_id, wordsOf(row))
      }),

    remove: (actor, activityId) =>
      inTransaction(pool, async (tx): Promise<EditOutcome> => {
        const place = await enter(tx, actor, activityId)
        if (!place) return repeated(tx, actor, activityId)
        if (place.gone === null) return { outcome: 'denied' }
        const { rows } = await tx.query<{ rang: string[] }>(
          `with ${removalParts('select a.id, a.mentions from activities a where a.id = $1')},
           kept as (
             insert into deleted_activities (topic_id, no, activity_id, seq, version, gone, deleted_by, published_at, deleted_at)
             select gone.topic_id, gone.no, gone.id, h.seq + 1, gone.version + 1, $2, $3, gone.published_at, clock_timestamp()
             from gone join topic_heads h on h.topic_id = gone.topic_id),
           untold as (delete from mention_notices m where m.activity_id = $1)
           select coalesce(array_agg(distinct user_id), '{}') as rang from unnoticed`,
          [activityId, place.gone, actor],
        )
        const { row } = place
        const change = goneChange(activityId, Number(row.no), row.version + 1, place.gone, rows[0]!.rang)
        return told(tx, row.topic_id, change)
      }),
  }
}

/** Locks the topic, then reads the activity. Null when there is none for the actor; `gone` null when it is not theirs. */
async function enter(tx: Queryable, actor: string, activityId: number): Promise<Place | null> {
  await tx.query(
    `select 1 from activities a join topic_heads h on h.topic_id = a.topic_id where a.id = $1 for update of h`,
    [activityId],
  )
  const row = await find(tx, activityId)
  if (!row) return null
  const { rows } = await tx.query<{ is_owner: boolean }>(
    `select ${isOwner('$2::int', '$1')} as is_owner where ${mayView('$2::int', '$1')}`,
    [actor, row.topic_id],
  )
  if (!rows[0]) return null
  return { row, gone: row.actor_id === actor ? 'author' : rows[0].is_owner ? 'owner' : null }
}

/** Somebody deletes again what they deleted before, because the answer did not reach them. */
async function repeated(tx: Queryable, actor: string, activityId: number): Promise<EditOutcome> {
  const { rows } = await tx.query<{ no: string; version: number; gone: Exclude<Gone, 'age'> }>(
    `select d.no, d.version, d.gone from deleted_activities d
     where d.activity_id = $2 and d.deleted_by = $1 and ${mayView('d.topic_id', '$1')}`,
    [actor, activityId],
  )
  const row = rows[0]
  if (!row) return { outcome: 'hidden' }
  return { outcome: 'unchanged', change: goneChange(activityId, Number(row.no), row.version, row.gone, []) }
}

async function find(tx: Queryable, activityId: number): Promise<ActivityRow | null> {
  const { rows } = await tx.query<ActivityRow>(
    `select ${ITEM_COLUMNS} from activities a ${ITEM_JOINS} where a.id = $1`,
    [activityId],
  )
  return rows[0] ?? null
}

/** Whoever is no longer named is no longer mentioned, and the other way round. Nobody is by themselves. */
async function keepMentions(tx: Queryable, row: ActivityRow): Promise<void> {
  const values = [row.id, row.mentions]
  for (const table of ['activity_mentions', 'mention_notices'])
    await tx.query(
      `delete from ${table} m using users u
       where m.activity_id = $1 and u.id = m.user_id and not u.handle = any($2::text[])`,
      values,
    )
  await tx.query(
    `insert into activity_mentions (user_id, activity_id, topic_id, no)
     select u.id, a.id, a.topic_id, a.no from activities a join users u on u.handle = any($2::text[])
     where a.id = $1 and u.id is distinct from a.actor_id on conflict do nothing`,
    values,
  )
}

function foundBy(row: ActivityRow, summary: string): string[] {
  const { actor, verb, object, target } = toActivity(row)
  return wordsToFind(actor, { verb, summary, ...(object ? { object } : {}), ...(target ? { target } : {}) })
}

async function told(tx: Queryable, topicId: number, change: ActivityChange): Promise<EditOutcome> {
  return { outcome: 'changed', topicId, seq: await appendChange(tx, topicId, change), change }
}

function wordsOf(row: ActivityRow): ActivityChange {
  const { id, no, summary, mentions, edited } = toActivity(row)
  const words = { summary, mentions, edited: edited ?? { version: 0, at: row.published_at.toISOString(), by: null } }
  return { kind: 'activity', activity: id, no, version: row.version, words, gone: null }
}

const goneChange = (activity: number, no: number, version: number, gone: Gone, rang: string[]): ActivityChange => ({
  ...{ kind: 'activity', activity, no, version },
  ...{ words: null, gone, rang },
})

const isOwner = (topic: string, person: string) =>
  `exists (select 1 from topic_members m where m.topic_id = ${topic} and m.user_id = ${person} and m.role = 'owner')`
