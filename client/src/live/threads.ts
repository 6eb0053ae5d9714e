// Threads of comments in this page: keeps the open ones as new as what is heard, and shows one's own words at once. A
// comment that could not be sent stays with its text until it is sent again or discarded; a change that was refused is
// taken back. Loaded with the first thread that is opened; what a thread is made of is decided in thread.ts.
import type { QueryClient } from '@tanstack/react-query'
import type { Comment, Said, Talk, TalkChange, ThreadPage } from '#shared/talk.ts'
import { addEarlier, hearComment, openThread, type Thread } from './thread.ts'

/** What came lately, for answers that were already on their way. */
const RECENT_MAX = 500

export type NewWords = { key: string; activity: number; parent: number | null; text: string }
export type Pending = NewWords & { failed: string | null }
/** `text` null: being deleted. `failed`: refused, and kept so that the words are not lost. */
export type Change = { text: string | null; failed: string | null }

export type Sent = { ok: true; said: Said } | { ok: false; message: string }

type Deps = {
  queryClient: QueryClient
  onTalk: (listener: (change: TalkChange) => void) => () => void
  learnTalk: (activity: number, talk: Talk) => void
  list: (activity: number, cursor: string | null) => Promise<ThreadPage>
  add: (words: NewWords) => Promise<Sent>
  edit: (id: number, text: string) => Promise<Sent>
  remove: (id: number) => Promise<Sent>
  newKey: () => string
  onRefused: (message: string) => void
}

export type Threads = ReturnType<typeof createThreads>
type State = { pending: readonly Pending[]; changes: ReadonlyMap<number, Change> }

export const threadKey = (activity: number) => ['thread', activity] as const

export function createThreads(deps: Deps) {
  const { queryClient } = deps
  const listeners = new Set<() => void>()
  let recent: Comment[] = []
  let state: State = { pending: [], changes: new Map() }
  const drafts = new Map<string, string>()

  function set(part: Partial<State>) {
    state = { ...state, ...part }
    for (const listener of listeners) listener()
  }
  const setChange = (id: number, change: Change | null) => {
    const changes = new Map(state.changes)
    if (change) changes.set(id, change)
    else changes.delete(id)
    set({ changes })
  }

  function hear(comment: Comment) {
    recent = [...recent, comment].slice(-RECENT_MAX)
    queryClient.setQueryData<Thread>(threadKey(comment.activity), (thread) => thread && hearComment(thread, comment))
  }
  deps.onTalk((change) => change.comment && hear(change.comment))

  function take({ comment, talk }: Said) {
    hear(comment)
    deps.learnTalk(comment.activity, talk)
  }

  async function send(words: NewWords) {
    const others = () => state.pending.filter(({ key }) => key !== words.key)
    const sent = await deps.add(words)
    if (sent.ok) {
      take(sent.said)
      set({ pending: others() })
    } else set({ pending: [...others(), { ...words, failed: sent.message }] })
  }

  return {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async open(activity: number): Promise<Thread> {
      const page = await deps.list(activity, null)
      deps.learnTalk(activity, page.talk)
      return openThread(
        page,
        recent.filter((comment) => comment.activity === activity),
      )
    },
    async earlier(activity: number): Promise<void> {
      const cursor = queryClient.getQueryData<Thread>(threadKey(activity))?.cursor ?? null
      if (cursor === null) return
      const page = await deps.list(activity, cursor)
      queryClient.setQueryData<Thread>(threadKey(activity), (now) =>
        now?.cursor === cursor ? addEarlier(now, page) : now,
      )
    },
    say(activity: number, parent: number | null, text: string) {
      const words = { key: deps.newKey(), activity, parent, text }
      set({ pending: [...state.pending, { ...words, failed: null }] })
      void send(words)
    },
    /** With the same key: whatever became of the first try, it is stored once. */
    again({ failed: _, ...words }: Pending) {
      set({ pending: state.pending.map((one) => (one.key === words.key ? { ...words, failed: null } : one)) })
      void send(words)
    },
    discard: (key: string) => set({ pending: state.pending.filter((one) => one.key !== key) }),
    async edit(id: number, text: string) {
      setChange(id, { text, failed: null })
      const sent = await deps.edit(id, text)
      if (sent.ok) take(sent.said)
      setChange(id, sent.ok ? null : { text, failed: sent.message })
    },
    async remove(id: number) {
      setChange(id, { text: null, failed: null })
      const sent = await deps.remove(id)
      if (sent.ok) take(sent.said)
      else deps.onRefused(sent.message)
      setChange(id, null)
    },
    dropChange: (id: number) => setChange(id, null),
    /** What is being written survives the row's leaving the screen. */
    draft: (place: string) => drafts.get(place) ?? '',
    keepDraft(place: string, text: string) {
      if (text === '') drafts.delete(place)
      else drafts.set(place, text)
    },
  }
}

/** The thread with one's own changes that are on their way. */
export function withChanges(thread: Thread, changes: ReadonlyMap<number, Change>): Thread {
  if (!thread.comments.some(({ id }) => changes.has(id))) return thread
  const comments = thread.comments.map((comment) => {
    const change = changes.get(comment.id)
    if (!change || change.failed !== null) return comment
    return change.text === null ? { ...comment, deleted: true, text: '' } : { ...comment, text: change.text }
  })
  return { ...thread, comments }
}
