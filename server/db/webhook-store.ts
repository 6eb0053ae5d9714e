// Webhooks in Postgres. A delivery is a row before anybody is told of it, so that whatever is lost on the way to its
// target is found again here; the endpoint's owner must be able to see the topic when it is planned and when it is sent.
import type pg from 'pg'
import type { OpenDelivery, WebhookStore } from '#server/app/webhook-ports.ts'
import type { DeliveryState, EndpointView, PauseReason } from '#shared/webhook.ts'
import { mayView } from './feed-sql.ts'
import { inTransaction } from './transaction.ts'
import { DELIVERY_COLUMNS, type DeliveryRow, LAST_ATTEMPT, toDelivery, UNSEEN_PAUSE } from './webhook-rows.ts'

/** As many bars as a row of the page shows. */
const RECENT = 20

const VIEW = `e.id, e.url, e.created_at, e.paused_for, e.failing_since, t.id as topic_id, t.name as topic_name,
  t.visibility as topic_visibility, ${mayView('t.id', 'e.owner_id')} as may_view,
  array(select r.state from (select d.id, d.state from webhook_deliveries d where d.endpoint_id = e.id
    order by d.id desc limit ${RECENT}) r order by r.id) as recent`
const FROM = 'from webhook_endpoints e join topics t on t.id = e.topic_id'

type EndpointRow = {
  id: number
  url: string
  created_at: Date
  paused_for: PauseReason | null
  failing_since: Date | null
  topic_id: number
  topic_name: string
  topic_visibility: 'public' | 'private'
  may_view: boolean
  recent: DeliveryState[]
}

export function createWebhookStore(pool: pg.Pool): WebhookStore {
  const views = async (where: string, values: unknown[]) => {
    const { rows } = await pool.query<EndpointRow>(`select ${VIEW} ${FROM} where ${where} order by e.id`, values)
    return rows.map(toEndpoint)
  }

  return {
    create: (endpoint, max) =>
      inTransaction(pool, async (tx) => {
        // Waits for another one of the same person, so that the count holds.
        await tx.query('select 1 from users where id = $1 for no key update', [endpoint.ownerId])
        const { rows: made } = await tx.query<{ id: number }>(
          `insert into webhook_endpoints (owner_id, topic_id, url, salt, created_at) select $1, $2, $3, $4, $5
           where (select count(*) from webhook_endpoints where owner_id = $1) < $6 returning id`,
          [endpoint.ownerId, endpoint.topicId, endpoint.url, endpoint.salt, endpoint.at, max],
        )
        if (!made[0]) return null
        const { rows } = await tx.query<EndpointRow>(`select ${VIEW} ${FROM} where e.id = $1`, [made[0].id])
        return toEndpoint(rows[0]!)
      }),

    list: (owner) => views('e.owner_id = $1', [owner]),
    find: async (owner, id) => (await views('e.owner_id = $1 and e.id = $2', [owner, id]))[0] ?? null,
    notices: (owner) => views(`e.owner_id = $1 and ${UNSEEN_PAUSE}`, [owner]),

    async noticed(owner, at) {
      const { rowCount } = await pool.query(
        `update webhook_endpoints e set noticed_at = $2 where e.owner_id = $1 and ${UNSEEN_PAUSE}`,
        [owner, at],
      )
      return rowCount ?? 0
    },

    async remove(owner, id) {
      const { rowCount } = await pool.query('delete from webhook_endpoints where id = $2 and owner_id = $1', [
        owner,
        id,
      ])
      return rowCount === 1
    },

    async pause(id, reason, at) {
      const { rowCount } = await pool.query(
        `update webhook_endpoints set paused_for = $2, paused_at = case when $2::text is null then null else $3::timestamptz end,
           noticed_at = null, failing_since = case when $2::text is null then null else failing_since end
         where id = $1 and paused_for is distinct from $2`,
        [id, reason, at],
      )
      return rowCount === 1
    },

    async reseal(owner, id, salt) {
      const { rowCount } = await pool.query('update webhook_endpoints set salt = $3 where id = $2 and owner_id = $1', [
        owner,
        id,
        salt,
      ])
      return rowCount === 1
    },

    async listened(topicIds) {
      const { rows } = await pool.query<{ topic_id: number }>({
        name: 'webhooks_listened',
        text: 'select distinct topic_id from webhook_endpoints where topic_id = any($1) and paused_at is null',
        values: [topicIds],
      })
      return new Set(rows.map((row) => row.topic_id))
    },

    async forget(activityIds) {
      if (activityIds.length === 0) return
      await pool.query(
        `update webhook_deliveries set body = '', state = case when state = 'delivered' then state else 'failed' end
         where activity_id = any($1::bigint[]) and type <> 'activity.deleted'`,
        [activityIds],
      )
    },

    async plan(messages) {
      if (messages.length === 0) return 0
      const { rowCount } = await pool.query({
        name: 'webhooks_plan',
        text: `insert into webhook_deliveries (endpoint_id, message_id, type, activity_id, about, body)
          select e.id, m.message_id, m.type, m.activity_id, t.name || ' ' || m.no, m.body
          from unnest($1::int[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[])
            as m(topic_id, message_id, type, activity_id, no, body)
          join webhook_endpoints e on e.topic_id = m.topic_id and e.paused_at is null
          join topics t on t.id = m.topic_id
          where ${mayView('e.topic_id', 'e.owner_id')} and (m.type = 'activity.deleted'
            or not exists (select 1 from deleted_activities g where g.activity_id = m.activity_id))
          on conflict (endpoint_id, message_id) do nothing`,
        values: [
          messages.map(({ topicId }) => topicId),
          messages.map(({ messageId }) => messageId),
          messages.map(({ type }) => type),
          messages.map(({ activityId }) => activityId),
          messages.map(({ no }) => no),
          messages.map(({ body }) => body),
        ],
      })
      return rowCount ?? 0
    },

    async planTest(endpointId, { messageId, about, body }) {
      const { rows } = await pool.query<{ id: string }>(
        `insert into webhook_deliveries (endpoint_id, message_id, type, about, body) values ($1, $2, 'test', $3, $4) returning id`,
        [endpointId, messageId, about, body],
      )
      return Number(rows[0]!.id)
    },

    async open(staleBefore, limit) {
      const { rows } = await pool.query<{ id: string; run: number; url: string }>(
        `select d.id, d.run, e.url from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
         where d.state in ('waiting', 'retrying') and (d.handed_at is null or d.handed_at < $1)
         order by d.handed_at nulls first, d.id limit $2`,
        [staleBefore, limit],
      )
      return rows.map(({ id, run, url }): OpenDelivery => ({ id: Number(id), run, host: new URL(url).host }))
    },

    async handed(ids, at) {
      await pool.query('update webhook_deliveries set handed_at = $2 where id = any($1::bigint[])', [ids, at])
    },

    async due(id) {
      const { rows } = await pool.query<DueRow>(
        `select d.id, d.run, d.attempts, d.message_id, d.body, d.state, e.id as endpoint_id, e.owner_id, e.url, e.salt,
           e.paused_at, e.failing_since, ${mayView('e.topic_id', 'e.owner_id')} as may_view
         from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id where d.id = $1`,
        [id],
      )
      const row = rows[0]
      if (!row) return null
      return {
        ...{ id: Number(row.id), run: row.run, attempts: row.attempts, messageId: row.message_id, body: row.body },
        delivered: row.state === 'delivered',
        endpoint: {
          ...{ id: row.endpoint_id, ownerId: row.owner_id, url: row.url, salt: row.salt },
          ...{ paused: row.paused_at !== null, mayView: row.may_view, failingSince: row.failing_since },
        },
      }
    },

    record: (due, attempt, state, now) =>
      inTransaction(pool, async (tx) => {
        // Somebody may have sent it again by hand meanwhile: that run is not ours.
        const { rows } = await tx.query<{ attempts: number }>(
          `update webhook_deliveries set state = $3, attempts = attempts + $4, handed_at = $5
           where id = $1 and run = $2 returning attempts`,
          [due.id, due.run, state, attempt ? 1 : 0, now],
        )
        if (!rows[0] || !attempt) return
        await tx.query(
          `insert into webhook_attempts (delivery_id, no, at, took_ms, status, error, answer)
           select $1, coalesce(max(no), 0) + 1, $2, $3, $4, $5, $6 from webhook_attempts where delivery_id = $1`,
          [due.id, attempt.at, attempt.tookMs, attempt.status, attempt.error, attempt.answer],
        )
        await tx.query(
          `update webhook_endpoints set failing_since = case when $2 then null else coalesce(failing_since, $3) end
           where id = $1 and (failing_since is null) <> $2`,
          [due.endpoint.id, state === 'delivered', attempt.at],
        )
      }),

    async deliveries(endpointId, before, limit) {
      const { rows } = await pool.query<DeliveryRow>(
        `select ${DELIVERY_COLUMNS} from webhook_deliveries d ${LAST_ATTEMPT}
         where d.endpoint_id = $1 and d.id < $2 order by d.id desc limit $3`,
        [endpointId, before ?? Number.MAX_SAFE_INTEGER, limit],
      )
      return rows.map(toDelivery)
    },

    async details(owner, id) {
      const { rows } = await pool.query<DeliveryRow & { url: string; body: string }>(
        `select ${DELIVERY_COLUMNS}, e.url, d.body from webhook_deliveries d
         join webhook_endpoints e on e.id = d.endpoint_id ${LAST_ATTEMPT}
         where d.id = $2 and e.owner_id = $1 and ${mayView('e.topic_id', 'e.owner_id')}`,
        [owner, id],
      )
      if (!rows[0]) return null
      const { rows: log } = await pool.query<AttemptRow>(
        'select no, at, took_ms, status, error, answer from webhook_attempts where delivery_id = $1 order by no desc',
        [id],
      )
      return {
        ...toDelivery(rows[0]),
        url: rows[0].url,
        body: rows[0].body,
        log: log.map(({ at, took_ms, ...rest }) => ({ ...rest, at: at.toISOString(), tookMs: took_ms })),
      }
    },

    async again(owner, id) {
      const { rows } = await pool.query<{ endpoint_id: number }>(
        `update webhook_deliveries d set run = d.run + 1, attempts = 0, state = 'waiting', handed_at = null
         from webhook_endpoints e where e.id = d.endpoint_id and d.id = $2 and e.owner_id = $1
           and d.state in ('delivered', 'failed') and d.body <> '' returning d.endpoint_id`,
        [owner, id],
      )
      return rows[0] ? { endpointId: rows[0].endpoint_id } : null
    },

    async prune(before, limit) {
      const { rowCount } = await pool.query(
        `delete from webhook_deliveries where id = any(array(
           select id from webhook_deliveries where created_at < $1 order by created_at limit $2))`,
        [before, limit],
      )
      return rowCount ?? 0
    },
  }
}

type DueRow = {
  id: string
  run: number
  attempts: number
  message_id: string
  body: string
  state: DeliveryState
  endpoint_id: number
  owner_id: string
  url: string
  salt: string
  paused_at: Date | null
  failing_since: Date | null
  may_view: boolean
}
type AttemptRow = {
  no: number
  at: Date
  took_ms: number
  status: number | null
  error: string | null
  answer: string | null
}

const toEndpoint = (row: EndpointRow): EndpointView => ({
  id: row.id,
  url: row.url,
  topic: row.may_view ? { id: row.topic_id, name: row.topic_name, visibility: row.topic_visibility } : null,
  createdAt: row.created_at.toISOString(),
  paused: row.paused_for,
  failingSince: row.failing_since?.toISOString() ?? null,
  recent: row.recent,
})
