// Reactions on their way to the server. A wish is shown over whatever the server says until it has answered, so that
// others' reactions may come and go meanwhile; a refusal just takes the wish away. One request per activity at a time,
// and only the last wish counts. Without a network wishes are kept and sent later.
import { recount, type Talk } from '#shared/talk.ts'

export type ReactResult = { ok: true; talk: Talk } | { ok: false; later: boolean; message: string }
type Wish = { emoji: string | null }

type Deps = {
  send: (id: number, emoji: string | null) => Promise<ReactResult>
  onTalk: (id: number, talk: Talk) => void
  onRefused: (message: string) => void
  save: (wishes: [number, string | null][]) => void
}

export type Reactor = ReturnType<typeof createReactor>

/** What one sees of a conversation while a wish of one's own is on its way. */
export const withWish = (talk: Talk, wish: string | null | undefined): Talk =>
  wish === undefined || wish === talk.own.emoji
    ? talk
    : { ...talk, reactions: recount(talk.reactions, talk.own.emoji, wish), own: { ...talk.own, emoji: wish } }

export function createReactor({ send, onTalk, onRefused, save }: Deps) {
  const listeners = new Set<() => void>()
  const wishes = new Map<number, Wish>()
  const busy = new Set<number>()

  function changed() {
    save([...wishes].map(([id, { emoji }]) => [id, emoji]))
    for (const listener of listeners) listener()
  }

  async function run(id: number): Promise<void> {
    if (busy.has(id)) return
    busy.add(id)
    try {
      for (let wish = wishes.get(id); wish; wish = wishes.get(id)) {
        const result = await send(id, wish.emoji)
        if (!result.ok && result.later) return
        // First what the server says, then the wish goes: the other way round the old count would show for a moment.
        if (result.ok) onTalk(id, result.talk)
        if (wishes.get(id) === wish) wishes.delete(id)
        changed()
        if (!result.ok) onRefused(result.message)
      }
    } finally {
      busy.delete(id)
    }
  }

  return {
    react(id: number, emoji: string | null) {
      wishes.set(id, { emoji })
      changed()
      void run(id)
    },
    /** Undefined when there is none. */
    wish: (id: number): string | null | undefined => wishes.get(id)?.emoji,
    restore(saved: readonly [number, string | null][]) {
      for (const [id, emoji] of saved) if (!wishes.has(id)) wishes.set(id, { emoji })
      changed()
      for (const [id] of saved) void run(id)
    },
    wake() {
      for (const id of [...wishes.keys()]) void run(id)
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
