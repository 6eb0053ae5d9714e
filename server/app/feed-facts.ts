// What counts need besides what was read: how far topics go (topic-facts.ts), and of people who are here what they wrote and
// where they were mentioned, by number. Own activities are read without being marked, so counts subtract them. Kept true
// by the events of topics; where those have not told enough, Postgres is asked, so counts never guess.
import type { FactStore, TopicFact } from './read-ports.ts'
import { addNumber, dropNumber, type Heard, TopicFacts } from './topic-facts.ts'

const PEOPLE_MAX = 5_000

export type PersonFacts = { handle: string; own: Map<number, number[]>; mentions: Map<number, number[]> }
/** A topic as somebody else saw it: facts about it must not be older. */
export type AsOf = { id: number; seq: number }

/** `later`: what came while it was being looked up; null when that is over. */
type Entry = { facts: Promise<PersonFacts>; known: PersonFacts | null; later: Heard[] | null }

export class FeedFacts {
  readonly topics: TopicFacts
  readonly #store: FactStore
  readonly #people = new Map<string, Entry>()
  readonly #byHandle = new Map<string, string>()
  readonly #lookups = new Set<Entry>()

  constructor(store: FactStore) {
    this.#store = store
    this.topics = new TopicFacts(store)
  }

  /** An event of the log, in order. False when something went past us: `renew` is then due. */
  hear(heard: Heard): boolean {
    const verdict = this.topics.hear(heard)
    if (verdict === 'next') this.#note(heard)
    if (verdict === 'gap') this.#forgetPeople()
    return verdict !== 'gap'
  }

  /** What this process has just committed, before the log tells of it; what is not next is left to the log. */
  hearOwn(heard: Heard): void {
    if (this.topics.isNext(heard)) this.hear(heard)
  }

  /** Before the tail is followed, when it starts over, and when something went past us. */
  async renew(): Promise<boolean> {
    this.#forgetPeople()
    const joined = await this.topics.renew()
    this.#forgetPeople()
    return joined
  }

  /** Not older than these. */
  async of(viewer: string, topics: readonly AsOf[]): Promise<PersonFacts> {
    if (!this.topics.isReady) return this.#ask(viewer)
    const entry = this.#entry(viewer)
    const facts = await entry.facts
    // Forgotten meanwhile: events may have passed that it does not know of.
    const isComplete = this.#people.get(viewer) === entry && topics.every((topic) => this.#knows(topic))
    return isComplete ? facts : this.#ask(viewer)
  }

  /** Facts about topics that are not older than these. */
  async ofTopics(topics: readonly AsOf[]): Promise<ReadonlyMap<number, Readonly<TopicFact>>> {
    const unknown = topics.filter((topic) => !this.#knows(topic)).map(({ id }) => id)
    const found = unknown.length === 0 ? new Map<number, TopicFact>() : await this.#store.topics(unknown)
    for (const { id } of topics) {
      const known = found.has(id) ? undefined : this.topics.get(id)
      if (known) found.set(id, known)
    }
    return found
  }

  #knows({ id, seq }: AsOf): boolean {
    return seq <= (this.topics.get(id)?.seq ?? -1)
  }

  async #ask(viewer: string): Promise<PersonFacts> {
    return toFacts(await this.#store.person(viewer))
  }

  #note(heard: Heard): void {
    for (const entry of this.#lookups) entry.later?.push(heard)
    if (heard.kind === 'words') {
      for (const { known } of this.#people.values()) if (known) note(known, null, heard)
    } else if (heard.kind === 'activity') {
      const concerned = [heard.actorId, ...heard.mentions.map((handle) => this.#byHandle.get(handle) ?? null)]
      for (const viewer of new Set(concerned)) {
        const known = viewer === null ? null : this.#people.get(viewer)?.known
        if (known) note(known, viewer, heard)
      }
    }
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
      const facts = await this.#ask(viewer)
      for (const heard of entry.later ?? []) note(facts, viewer, heard)
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
  for (const [topicId, no] of places) numbersOf(found, topicId).push(no)
  return found
}

/** One that is known already came on both ways. Deleted numbers stay: they count for nothing anyway. */
function note(facts: PersonFacts, viewer: string | null, heard: Heard): void {
  if (heard.kind === 'activity' && heard.actorId === viewer) addNumber(numbersOf(facts.own, heard.topicId), heard.no)
  if (heard.kind !== 'activity' && heard.kind !== 'words') return
  const change = heard.mentions.includes(facts.handle) ? addNumber : dropNumber
  change(numbersOf(facts.mentions, heard.topicId), heard.no)
}

function numbersOf(by: Map<number, number[]>, topicId: number): number[] {
  const known = by.get(topicId)
  if (known) return known
  const fresh: number[] = []
  by.set(topicId, fresh)
  return fresh
}
