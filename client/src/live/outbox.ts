// Posts on their way to the server: shown at once, sent one after the other, kept on the device until the server has
// them. The idempotency key is made when the post is written, so that however often it is sent it is stored once.
//   sending ─answered→ gone      sending ─no network, busy→ waiting ─back→ sending      sending ─refused→ failed
import type { ErrorBody } from '#shared/errors.ts'
import type { FeedItem } from '#shared/feed.ts'

export type Post = {
  key: string
  topic: string
  text: string
  writtenAt: number
  state: 'sending' | 'waiting' | 'failed'
  /** Written without a network, which is worth saying when it arrives later. */
  offline: boolean
  reason: { text: string; signIn: boolean } | null
}

/** `later`: it may work by itself; `refused`: it needs a person. */
export type SendResult =
  /** `item` null: it was there, and is not any more. */
  | { ok: true; item: FeedItem | null }
  | { ok: false; later: true; retryAfterMs: number | null }
  | { ok: false; later: false; body: ErrorBody }

type Deps = {
  send: (post: Post) => Promise<SendResult>
  onSent: (item: FeedItem | null, post: Post) => void
  onFailed: (post: Post) => void
  save: (posts: Post[]) => void
  isOnline: () => boolean
  now: () => number
  newKey: () => string
  later: (run: () => void, ms: number) => void
}

const RETRY_MS = 5_000
const RETRY_MAX_MS = 60_000

export type Outbox = ReturnType<typeof createOutbox>

export function createOutbox(deps: Deps) {
  const listeners = new Set<() => void>()
  let posts: Post[] = []
  let busy = false
  let misses = 0

  function set(next: Post[]) {
    posts = next
    deps.save(posts)
    for (const listener of listeners) listener()
  }
  const patch = (key: string, part: Partial<Post>) =>
    set(posts.map((post) => (post.key === key ? { ...post, ...part } : post)))

  async function run() {
    if (busy) return
    busy = true
    try {
      for (;;) {
        const post = posts.find((other) => other.state !== 'failed')
        if (!post) return
        if (!deps.isOnline()) {
          for (const other of posts)
            if (other.state === 'sending') patch(other.key, { state: 'waiting', offline: true })
          return
        }
        if (post.state !== 'sending') patch(post.key, { state: 'sending' })
        const result = await deps.send(post)
        if (result.ok) {
          misses = 0
          set(posts.filter((other) => other.key !== post.key))
          deps.onSent(result.item, post)
        } else if (result.later) {
          misses += 1
          patch(post.key, { state: 'waiting' })
          deps.later(() => void run(), result.retryAfterMs ?? Math.min(RETRY_MS * 2 ** (misses - 1), RETRY_MAX_MS))
          return
        } else {
          const failed: Post = {
            ...post,
            state: 'failed',
            reason: { text: result.body.message, signIn: result.body.code === 'SIGNED_OUT' },
          }
          patch(post.key, failed)
          deps.onFailed(failed)
        }
      }
    } finally {
      busy = false
    }
  }

  return {
    posts: () => posts,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** From the last visit: whatever was under way may or may not have arrived; the key makes asking again harmless. */
    restore(saved: readonly Post[]) {
      const known = new Set(posts.map((post) => post.key))
      const unknown = saved.filter((post) => !known.has(post.key))
      set([...unknown.map((post) => (post.reason?.signIn ? signedInAgain(post) : post)), ...posts])
      void run()
    },
    post(topic: string, text: string) {
      const offline = !deps.isOnline()
      const post: Post = {
        key: deps.newKey(),
        topic,
        text,
        writtenAt: deps.now(),
        state: offline ? 'waiting' : 'sending',
        offline,
        reason: null,
      }
      set([...posts, post])
      void run()
    },
    again(key: string) {
      patch(key, { state: 'sending', reason: null })
      void run()
    },
    discard: (key: string) => set(posts.filter((post) => post.key !== key)),
    /** Whether it is one of ours that came back by the live connection before its answer did. */
    arrived(item: FeedItem): boolean {
      const same = posts.find(
        (post) => post.state === 'sending' && post.topic === item.topic.name && post.text === item.summary,
      )
      if (same) set(posts.filter((post) => post !== same))
      return same !== undefined
    },
    wake: () => void run(),
  }
}

/** What an ended session kept back goes out with the next one of the same person. */
const signedInAgain = (post: Post): Post => ({ ...post, state: 'waiting', reason: null })
