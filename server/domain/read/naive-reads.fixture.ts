// Read state as one would write it without any thought of cost: everything that happened, replayed from the start for every
// question, with undone "mark all"s left out. Tests compare the real one with it.
import type { Operation } from './person-reads.ts'
import type { Follow } from './unread.ts'

type Entry = { kind: 'mark'; no: number; read: boolean } | { kind: 'up-to'; no: number; layer: string | null }
type Topic = { follow: number; entries: Entry[] }

export class NaiveReads {
  readonly #topics = new Map<number, Topic>()
  readonly #undone = new Set<string>()

  /** Only what took effect. */
  apply(operation: Operation): void {
    switch (operation.kind) {
      case 'mark':
        for (const { topicId, follow, start, numbers } of operation.groups) {
          const { entries } = this.#enter(topicId, follow, start)
          for (const no of numbers) entries.push({ kind: 'mark', no, read: operation.read })
        }
        break
      case 'all':
        for (const { topicId, follow, start, upTo } of operation.topics)
          this.#enter(topicId, follow, start).entries.push({ kind: 'up-to', no: upTo, layer: operation.id })
        break
      case 'undo':
        this.#undone.add(operation.undo)
        break
      case 'forget': {
        const topic = this.#topics.get(operation.topicId)
        if (topic && topic.follow <= operation.follow) this.#topics.delete(operation.topicId)
      }
    }
  }

  /** Above the floor and up to the head, rising. */
  unread(topicId: number, follow: Follow | null, { floor, head }: { floor: number; head: number }): number[] {
    const read = new Uint8Array(head + 1)
    for (const entry of this.#seen(topicId, follow))
      if (entry.kind === 'mark') read[entry.no] = entry.read ? 1 : 0
      else if (entry.layer === null || !this.#undone.has(entry.layer)) read.fill(1, 0, entry.no + 1)
    return [...read.keys()].filter((no) => no > floor && read[no] === 0)
  }

  #seen(topicId: number, follow: Follow | null): Entry[] {
    const topic = this.#topics.get(topicId)
    if (!follow || (topic && follow.id <= topic.follow)) return topic?.entries ?? []
    const beginning: Entry = { kind: 'up-to', no: follow.start, layer: null }
    return topic && topic.follow === 0 ? [...topic.entries, beginning] : [beginning]
  }

  #enter(topicId: number, follow: number, start: number): Topic {
    const topic = this.#topics.get(topicId)
    if (topic && follow <= topic.follow) return topic
    const entered: Topic = { follow, entries: [...this.#seen(topicId, { id: follow, start })] }
    if (!topic && follow === 0) entered.entries = []
    this.#topics.set(topicId, entered)
    return entered
  }
}
