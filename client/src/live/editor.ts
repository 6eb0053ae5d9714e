// One's own changes to activities on their way to the server: other words, or a deletion. Shown at once over whatever the
// server says; a refusal takes them away again, and words that were refused are kept so that nothing is lost.
import type { ActivityChange } from '#shared/activity-change.ts'
import type { FeedItem } from '#shared/feed.ts'

/** `text` null: being deleted. */
type Wish = { text: string | null }
export type EditResult = { ok: true; change: ActivityChange } | { ok: false; message: string }

type Deps = {
  edit: (id: number, text: string) => Promise<EditResult>
  remove: (id: number) => Promise<EditResult>
  onChange: (topic: number, change: ActivityChange) => void
  onRefused: (message: string) => void
}

export type Editor = ReturnType<typeof createEditor>

export function createEditor(deps: Deps) {
  const listeners = new Set<() => void>()
  const wishes = new Map<number, Wish>()
  /** Words that were not saved, for whoever opens the field again. */
  const drafts = new Map<number, string>()
  let hidden: ReadonlySet<number> = new Set()

  function changed() {
    hidden = new Set([...wishes].flatMap(([id, { text }]) => (text === null ? [id] : [])))
    for (const listener of listeners) listener()
  }

  async function run({ id, topic }: FeedItem, text: string | null): Promise<void> {
    const wish: Wish = { text }
    wishes.set(id, wish)
    changed()
    const result = await (text === null ? deps.remove(id) : deps.edit(id, text))
    // First what the server says, then the wish goes: the other way round the old words would show for a moment.
    if (result.ok) deps.onChange(topic.id, result.change)
    if (wishes.get(id) === wish) wishes.delete(id)
    if (result.ok) drafts.delete(id)
    else if (text !== null) drafts.set(id, text)
    changed()
    if (!result.ok) deps.onRefused(result.message)
  }

  return {
    edit: (item: FeedItem, text: string) => run(item, text),
    remove: (item: FeedItem) => run(item, null),
    /** The words that one has just given it; undefined when there are none on their way. */
    words: (id: number): string | undefined => wishes.get(id)?.text ?? undefined,
    /** What is being deleted; another set after every change. */
    hidden: () => hidden,
    draft: (id: number): string | undefined => drafts.get(id),
    keepDraft(id: number, text: string | null) {
      if (text === null) drafts.delete(id)
      else drafts.set(id, text)
    },
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
