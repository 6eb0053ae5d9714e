// A receiver's place in each topic: pure. Events are handed on in the order of their numbers and once; what arrives beyond a
// hole waits until the hub has replayed it, or has said that it cannot.
import { judge } from '../sequence.ts'
import type { TopicEvent } from './protocol.ts'

/** More than this beyond a hole are not held: replay brings them again. */
const MAX_HELD = 500

export type TopicStep = {
  deliver: TopicEvent[]
  /** Ask the hub for everything after this number. */
  replaySince: number | null
  /** These are not to be had from the hub: `after` < seq ≤ `upTo`. */
  gap: { after: number; upTo: number } | null
}

type Place = { last: number | undefined; held: Map<number, TopicEvent>; asked: boolean }

const NOTHING: TopicStep = { deliver: [], replaySince: null, gap: null }

export class TopicBook {
  readonly #places = new Map<string, Place>()

  /** `since`: the newest number that is known already; null when only what comes is of interest. */
  watch(topic: string, since: number | null): void {
    if (this.#places.has(topic)) return
    this.#places.set(topic, { last: since ?? undefined, held: new Map(), asked: false })
  }

  forget(topic: string): void {
    this.#places.delete(topic)
  }

  /** What to subscribe to, and from where, on a new connection. */
  positions(): { topic: string; since?: number }[] {
    for (const place of this.#places.values()) place.asked = false
    return [...this.#places].map(([topic, { last }]) => (last === undefined ? { topic } : { topic, since: last }))
  }

  receive(event: TopicEvent): TopicStep {
    const place = this.#places.get(event.topic)
    if (place === undefined) return NOTHING
    const verdict = judge(place.last, event.seq)
    if (verdict === 'repeat') return NOTHING
    if (verdict === 'apply') {
      place.last = event.seq
      return { ...NOTHING, deliver: [event, ...this.#release(place)] }
    }
    if (place.held.size < MAX_HELD) place.held.set(event.seq, event)
    return this.#ask(place)
  }

  /** The topic's newest number when we joined. */
  subscribed(topic: string, lastSeq: number): void {
    const place = this.#places.get(topic)
    if (place !== undefined) place.last ??= lastSeq
  }

  replayed(topic: string, replay: { events: TopicEvent[]; completeSince: number; lastSeq: number }): TopicStep {
    const place = this.#places.get(topic)
    if (place === undefined) return NOTHING
    place.asked = false
    const known = place.last ?? replay.completeSince
    const gap = replay.completeSince > known ? { after: known, upTo: replay.completeSince } : null
    place.last = Math.max(known, replay.completeSince)
    for (const event of replay.events) if (event.seq > place.last) place.held.set(event.seq, event)
    // What is neither there nor held up to here has expired: nobody will get it.
    const deliver = [...place.held.values()].filter(({ seq }) => seq > place.last! && seq <= replay.lastSeq)
    deliver.sort((a, b) => a.seq - b.seq)
    place.last = Math.max(place.last, replay.lastSeq)
    const released = this.#release(place)
    const further = place.held.size > 0 ? this.#ask(place).replaySince : null
    return { deliver: [...deliver, ...released], replaySince: further, gap }
  }

  /** The replay did not come: the next event beyond the hole asks again. */
  replayFailed(topic: string): void {
    const place = this.#places.get(topic)
    if (place !== undefined) place.asked = false
  }

  #ask(place: Place): TopicStep {
    if (place.asked || place.last === undefined) return NOTHING
    place.asked = true
    return { ...NOTHING, replaySince: place.last }
  }

  #release(place: Place): TopicEvent[] {
    const released: TopicEvent[] = []
    for (const seq of [...place.held.keys()].sort((a, b) => a - b)) {
      const event = place.held.get(seq)!
      const verdict = judge(place.last, seq)
      if (verdict === 'hole') break
      place.held.delete(seq)
      if (verdict === 'repeat') continue
      place.last = seq
      released.push(event)
    }
    return released
  }
}
