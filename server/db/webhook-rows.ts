// How a delivery's row looks to its endpoint's owner, with its latest attempt.
import type { DeliveryState, DeliveryView } from '#shared/webhook.ts'

export const DELIVERY_COLUMNS = `d.id, d.message_id, d.about, d.activity_id, d.state, d.attempts, d.created_at,
  l.at as last_at, l.status as last_status, l.error as last_error, l.took_ms as last_ms`
export const LAST_ATTEMPT = `left join lateral (
  select a.at, a.status, a.error, a.took_ms from webhook_attempts a
  where a.delivery_id = d.id order by a.no desc limit 1) l on true`

/** Endpoints that were paused by themselves, which their owner has not been shown. */
export const UNSEEN_PAUSE = `e.paused_for in ('failing', 'gone', 'rights') and e.noticed_at is null`

export type DeliveryRow = {
  id: string
  message_id: string
  about: string
  activity_id: string | null
  state: DeliveryState
  attempts: number
  created_at: Date
  last_at: Date | null
  last_status: number | null
  last_error: string | null
  last_ms: number | null
}

export const toDelivery = (row: DeliveryRow): DeliveryView => ({
  id: Number(row.id),
  messageId: row.message_id,
  about: row.about,
  activity: row.activity_id === null ? null : Number(row.activity_id),
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at.toISOString(),
  last: row.last_at && {
    at: row.last_at.toISOString(),
    status: row.last_status,
    error: row.last_error,
    tookMs: row.last_ms ?? 0,
  },
})
