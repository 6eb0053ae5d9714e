// The comments on one activity as they are known here. Pure. Each comment is kept by its version, so that answers and
// events may come in any order and twice; whole threads are loaded from the newest backwards.
import type { Comment, ThreadPage } from '#shared/talk.ts'

export type Thread = {
  /** By rising id. Deleted ones stay, or something older could bring them back. */
  comments: readonly Comment[]
  /** Everything up to this version of the conversation was in the answer that we began with. */
  asOf: number
  /** Threads that began with this id or later are all here; 0 when there are no earlier ones. */
  from: number
  cursor: string | null
}

const oldestRoot = (page: ThreadPage): number =>
  page.cursor === null ? 0 : (page.comments.find((comment) => comment.parent === null)?.id ?? 0)

/** `later`: what was heard while the page was on its way. */
export function openThread(page: ThreadPage, later: readonly Comment[]): Thread {
  const { comments, cursor, talk } = page
  return later.reduce(hearComment, { comments, cursor, asOf: talk.version, from: oldestRoot(page) })
}

export const addEarlier = (thread: Thread, page: ThreadPage): Thread => ({
  ...page.comments.reduce(put, thread),
  cursor: page.cursor,
  from: oldestRoot(page),
})

export function hearComment(thread: Thread, comment: Comment): Thread {
  const known = thread.comments.some(({ id }) => id === comment.id)
  // Told by our first answer already: it is deleted by now, or in a thread that is not loaded.
  if (!known && comment.version <= thread.asOf) return thread
  return put(thread, comment)
}

function put(thread: Thread, comment: Comment): Thread {
  const { comments } = thread
  const at = comments.findIndex(({ id }) => id >= comment.id)
  const known = at < 0 ? undefined : comments[at]
  if (known?.id === comment.id)
    return known.version >= comment.version ? thread : { ...thread, comments: comments.with(at, comment) }
  return { ...thread, comments: comments.toSpliced(at < 0 ? comments.length : at, 0, comment) }
}

export type ThreadView = { root: Comment; replies: Comment[] }

/** What is to be shown, oldest first: a deleted comment only while it holds an answer. */
export function viewThread(thread: Thread): ThreadView[] {
  const living = thread.comments.filter((comment) => !comment.deleted)
  return thread.comments.flatMap((root) => {
    if (root.parent !== null || root.id < thread.from) return []
    const replies = living.filter((comment) => comment.parent === root.id)
    return root.deleted && replies.length === 0 ? [] : [{ root, replies }]
  })
}

export const shownCount = (views: readonly ThreadView[]): number =>
  views.reduce((sum, { root, replies }) => sum + replies.length + (root.deleted ? 0 : 1), 0)
