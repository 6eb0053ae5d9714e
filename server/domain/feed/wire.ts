// How a stored activity looks to the outside: the same object from a page, a single get and the log.
import type { Activity, Actor, Thing } from '#shared/activity.ts'
import type { LogEvent } from '#shared/live-events.ts'
import type { Person } from '#shared/person.ts'
import type { Visibility } from '#shared/topic.ts'

/** An activity's row with the names that it shows, as queries deliver it. */
export type ActivityRow = {
  id: number | string
  topic_id: number
  topic_name: string
  topic_visibility: Visibility
  seq: number | string
  no: number | string
  actor_id: string | null
  actor_handle: string | null
  actor_name: string | null
  actor_tool: string | null
  verb: string
  object: Thing | null
  target: Thing | null
  summary: string
  metadata: Record<string, unknown>
  group_key: string | null
  mentions: string[]
  published_at: Date
  occurred_at: Date | null
  source: string
  version: number
  edited_at: Date | null
  edited_by: string | null
  editor_handle: string | null
  editor_name: string | null
}

export function toActivity(row: ActivityRow): Activity {
  return {
    id: Number(row.id),
    topic: { id: row.topic_id, name: row.topic_name, visibility: row.topic_visibility },
    seq: Number(row.seq),
    no: Number(row.no),
    actor: toActor(row),
    verb: row.verb,
    object: row.object,
    target: row.target,
    summary: row.summary,
    metadata: row.metadata,
    groupKey: row.group_key,
    mentions: row.mentions,
    publishedAt: row.published_at.toISOString(),
    occurredAt: row.occurred_at?.toISOString() ?? null,
    source: row.source,
    edited: row.edited_at && { version: row.version, at: row.edited_at.toISOString(), by: editorOf(row) },
  }
}

function editorOf({ edited_by: id, actor_id, editor_handle, editor_name }: ActivityRow): Person | null {
  if (id === actor_id) return null
  return { id: id ?? '', handle: editor_handle ?? 'gone', name: editor_name ?? 'Someone' }
}

function toActor(row: ActivityRow): Actor {
  if (row.actor_tool !== null) return { kind: 'tool', id: row.actor_tool.toLowerCase(), name: row.actor_tool }
  // An account that is gone keeps its activities, without its name.
  return {
    kind: 'person',
    id: row.actor_id ?? '',
    handle: row.actor_handle ?? 'gone',
    name: row.actor_name ?? 'Someone',
  }
}

/** The data line of the event: serialised here, once, for the log and every connection. */
export const serialise = (log: LogEvent): string => JSON.stringify(log.event)
