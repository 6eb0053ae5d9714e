// How far each topic goes, where its window begins and which of its numbers were deleted, in memory: read from Postgres once
// and kept true by the topics' own events, whose numbers have no holes. An event that is not the next one means that
// something went past us; then nothing here is believed until it has been read again.
import { firstAbove, hasNumber } from '#server/domain/read/unread.ts'
import type { FactStore, TopicFact } from './read-ports.ts'

/** An event of a topic, as far as counts depend on it. `words`: an activity was edited. */
export type Heard = { topicId: number; seq: number } & (
  | { kind: 'activity'; no: number; actorId: string | null; mentions: readonly string[] }
  | { kind: 'words'; no: number; mentions: readonly string[] }
  | { kind: 'gone'; no: number }
  | { kind: 'other' }
)

/** Events that may wait while Postgres is asked; beyond it the oldest go, which shows as a gap. */
const LATER_MAX = 50_000

export class TopicFacts {
  readonly #store: Pick<FactStore, 'topics' | 'floors'>
  #topics = new Map<number, TopicFact>()
  /** What came while topics were being read; null: they are known. */
  #later: Heard[] | null = []
  #turn = 0

  constructor(store: Pick<FactStore, 'topics' | 'floors'>) {
    this.#store = store
  }

  get isReady(): boolean {
    return this.#later === null
  }

  /** Undefined: nothing that could be believed. */
  get(topicId: number): Readonly<TopicFact> | undefined {
    return this.isReady ? this.#topics.get(topicId) : undefined
  }

  isNext({ topicId, seq }: { topicId: number; seq: number }): boolean {
    return this.isReady && seq === (this.#topics.get(topicId)?.seq ?? 0) + 1
  }

  /** 'gap': something before it went past us, and nothing is believed until `renew`; 'later': it waits for that. */
  hear(heard: Heard): 'next' | 'known' | 'gap' | 'later' {
    if (this.#later) {
      if (this.#later.push(heard) > LATER_MAX) this.#later.shift()
      return 'later'
    }
    const fact = this.#topics.get(heard.topicId) ?? { seq: 0, no: 0, floor: 0, deleted: [], deletedSeq: 0 }
    if (heard.seq <= fact.seq) return 'known'
    if (heard.seq > fact.seq + 1) {
      this.#later = []
      return 'gap'
    }
    this.#topics.set(heard.topicId, fact)
    fact.seq = heard.seq
    if (heard.kind === 'activity') fact.no = heard.no
    else if (heard.kind === 'gone' && heard.no > fact.floor) {
      addNumber(fact.deleted, heard.no)
      fact.deletedSeq = heard.seq
    }
    return 'next'
  }

  /** Reads everything anew. False when what came meanwhile does not join it: ask again. */
  async renew(): Promise<boolean> {
    this.#later ??= []
    const turn = ++this.#turn
    const topics = await this.#store.topics(null)
    if (turn !== this.#turn) return this.isReady
    const later = this.#later ?? []
    this.#topics = topics
    this.#later = null
    for (const heard of later) this.hear(heard)
    return this.isReady
  }

  /** Floors move by a job, which is no event of a topic. */
  async renewFloors(): Promise<void> {
    for (const [topicId, floor] of await this.#store.floors()) {
      const fact = this.#topics.get(topicId)
      if (!fact || floor <= fact.floor) continue
      fact.floor = floor
      fact.deleted.splice(0, firstAbove(fact.deleted, floor))
    }
  }
}

/** Into a list of rising numbers, once. */
export function addNumber(rising: number[], no: number): void {
  if (!hasNumber(rising, no)) rising.splice(firstAbove(rising, no), 0, no)
}

export function dropNumber(rising: number[], no: number): void {
  if (hasNumber(rising, no)) rising.splice(firstAbove(rising, no) - 1, 1)
}
