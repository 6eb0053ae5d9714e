// What people who are here wrote and where they were mentioned, by number, kept true by the log's tail: own activities
// are read without being marked, so counts subtract them. Postgres says how far topics go; when it is further than the
// tail, or nobody has told us of some numbers, it is asked for the person's numbers too, so counts never guess.
import type { FactStore } from './read-ports.ts'

const PEOPLE_MAX = 5_000

export type Seen = { topicId: number; no: number; actorId: string | null; mentions: readonly string[] }
export type PersonFacts = { handle: string; own: Map<number, number[]>; mentions: Map<number, number[]> }

/** `later`: what came while it was being looked up; null when that is over. */
type Entry = { facts: Promise<PersonFacts>; known: PersonFacts | null; later: Seen[] | null }

export class FeedFacts {
  readonly #store: FactStore
  readonly #heads = new Map<number, number>()
  readonly #people = new Map<string, Entry>()
  readonly #byHandle = new Map<string, string>()
  readonly #lookups = new Set<Entry>()

  constructor(store: FactStore) {
    this.#store = store
  }

  saw(seen: Seen): void {
    const head = this.#heads.get(seen.topicId) ?? 0
    if (seen.no <= head) return
    // Numbers that nobody told us of may be anybody's.
    if (seen.no > head + 1) this.#forgetPeople()
    this.#heads.set(seen.topicId, seen.no)
    for (const entry of this.#lookups) entry.later?.push(seen)
    const concerned = [seen.actorId, ...seen.mentions.map((handle) => this.#byHandle.get(handle) ?? null)]
    for (const viewer of new Set(concerned)) {
      const known = viewer === null ? null : this.#people.get(viewer)?.known
      if (known) note(known, viewer!, seen)
    }
  }

  /** Before the tail is followed, and when it starts over. */
  async renew(): Promise<void> {
    this.#forgetPeople()
    for (const { topicId, no } of await this.#store.heads()) {
      if (no <= (this.#heads.get(topicId) ?? 0)) continue
      this.#forgetPeople()
      this.#heads.set(topicId, no)
    }
  }

  /** Complete up to these numbers. */
  async of(viewer: string, topics: readonly { id: number; no: number }[]): Promise<PersonFacts> {
    const entry = this.#entry(viewer)
    const facts = await entry.facts
    const isComplete = topics.every(({ id, no }) => no <= (this.#heads.get(id) ?? 0))
    // Forgotten meanwhile: numbers may have passed that it does not know of.
    return isComplete && this.#people.get(viewer) === entry ? facts : toFacts(await this.#store.person(viewer))
  }

  #entry(viewer: string): Entry {
    const known = this.#people.get(viewer)
    if (known) {
      // The longest unasked goes first.
      this.#people.delete(viewer)
      this.#people.set(viewer, known)
      return known
    }
    const fresh: Entry = { facts: Promise.resolve(NOTHING), known: null, later: [] }
    this.#people.set(viewer, fresh)
    fresh.facts = this.#look(viewer, fresh)
    if (this.#people.size > PEOPLE_MAX) this.#forget(this.#people.keys().next().value!)
    return fresh
  }

  async #look(viewer: string, entry: Entry): Promise<PersonFacts> {
    this.#lookups.add(entry)
    try {
      const facts = toFacts(await this.#store.person(viewer))
      for (const seen of entry.later ?? []) note(facts, viewer, seen)
      if (this.#people.get(viewer) === entry) this.#byHandle.set(facts.handle, viewer)
      entry.known = facts
      return facts
    } catch (error) {
      if (this.#people.get(viewer) === entry) this.#people.delete(viewer)
      throw error
    } finally {
      this.#lookups.delete(entry)
      entry.later = null
    }
  }

  #forget(viewer: string): void {
    const known = this.#people.get(viewer)?.known
    if (known) this.#byHandle.delete(known.handle)
    this.#people.delete(viewer)
  }

  #forgetPeople(): void {
    this.#people.clear()
    this.#byHandle.clear()
  }
}

const NOTHING: PersonFacts = { handle: '', own: new Map(), mentions: new Map() }

function toFacts({ handle, own, mentions }: Awaited<ReturnType<FactStore['person']>>): PersonFacts {
  return { handle, own: byTopic(own), mentions: byTopic(mentions) }
}

function byTopic(places: [topicId: number, no: number][]): Map<number, number[]> {
  const found = new Map<number, number[]>()
  for (const [topicId, no] of places) add(found, topicId, no)
  return found
}

function note(facts: PersonFacts, viewer: string, { topicId, no, actorId, mentions }: Seen): void {
  if (actorId === viewer) add(facts.own, topicId, no)
  if (mentions.includes(facts.handle)) add(facts.mentions, topicId, no)
}

/** Numbers of a topic come in order; one that is known already came on both ways. */
function add(to: Map<number, number[]>, topicId: number, no: number): void {
  const numbers = to.get(topicId)
  if (!numbers) to.set(topicId, [no])
  else if (no > numbers.at(-1)!) numbers.push(no)
}
