// A comment `c` with the names that it shows.
import type { Person } from '#shared/person.ts'
import type { Comment } from '#shared/talk.ts'

export const COMMENT_COLUMNS = `c.id, c.activity_id, c.parent_id, c.body, c.mentions, c.version, c.created_at,
  c.edited_at, c.deleted_at, c.author_id, w.handle as author_handle, w.name as author_name,
  c.edited_by, e.handle as editor_handle, e.name as editor_name`
export const COMMENT_JOINS = 'left join users w on w.id = c.author_id left join users e on e.id = c.edited_by'

export type CommentRow = {
  id: string
  activity_id: string
  parent_id: string | null
  body: string
  mentions: string[]
  version: number
  created_at: Date
  edited_at: Date | null
  deleted_at: Date | null
  author_id: string | null
  author_handle: string | null
  author_name: string | null
  edited_by: string | null
  editor_handle: string | null
  editor_name: string | null
}

export const toComment = (row: CommentRow): Comment => ({
  id: Number(row.id),
  activity: Number(row.activity_id),
  parent: row.parent_id === null ? null : Number(row.parent_id),
  author: personOf(row.author_id, row.author_handle, row.author_name),
  text: row.body,
  mentions: row.mentions,
  createdAt: row.created_at.toISOString(),
  editedAt: row.edited_at?.toISOString() ?? null,
  editedBy:
    row.edited_by === null || row.edited_by === row.author_id
      ? null
      : personOf(row.edited_by, row.editor_handle, row.editor_name),
  deleted: row.deleted_at !== null,
  version: row.version,
})

/** An account that is gone keeps its words, without its name. */
const personOf = (id: string | null, handle: string | null, name: string | null): Person => ({
  id: id ?? '',
  handle: handle ?? 'gone',
  name: name ?? 'Someone',
})
