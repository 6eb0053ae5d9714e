// All open connections of this process, by topic and by person. Matching is by index, never by scanning; frames of one
// short window leave in one write per connection. Rights are applied here before anything later of the topic goes out.
import type { PersonalEvent } from '#server/app/log-ports.ts'
import type { DeliveryFigures } from '#server/telemetry/live-metrics.ts'
import type { BellEvent, ControlEvent, UpdateEvent } from '#shared/live-events.ts'
import type { Connection } from './connection.ts'
import { personalFrame } from './frames.ts'
import { JoinedFrames } from './joined-frames.ts'
import type { Framed } from './ring.ts'
import { WriteSchedule } from './write-schedule.ts'

export type HubDeps = {
  /** Writes are at least so far apart; 0: every event is written at once. */
  windowMs: number
  /** Monotonic, in milliseconds. */
  elapsed: () => number
  followed: (userId: string) => Promise<{ version: number; topics: { id: number }[] }>
  /** Of these people, who may see the topic now. */
  readers: (topicId: number, people: string[]) => Promise<string[]>
  onError: (error: unknown) => void
  figures?: DeliveryFigures
  /** The time of day in milliseconds, as events have it. */
  now?: () => number
}

/** `refreshing`: a query for what they follow is under way; `again`: its answer may be older than what we know. */
type Present = { connections: Set<Connection>; followsVersion: number; refreshing: boolean; again: boolean }

export class Hub {
  readonly #deps: HubDeps
  readonly #byTopic = new Map<number, Set<Connection>>()
  readonly #people = new Map<string, Present>()
  #dirty = new Set<Connection>()
  /** Events of the coming round of writes: when they were committed, and for how many readers. */
  #leaving: { committedMs: number; readers: number }[] = []
  readonly #writes: WriteSchedule
  #size = 0

  constructor(deps: HubDeps) {
    this.#deps = deps
    this.#writes = new WriteSchedule(deps.windowMs, deps.elapsed, () => this.flush())
  }

  get size(): number {
    return this.#size
  }

  connectionsOf(userId: string): number {
    return this.#people.get(userId)?.connections.size ?? 0
  }

  *connections(): Iterable<Connection> {
    for (const { connections } of this.#people.values()) yield* connections
  }

  /** Who is here, with the version of the follows that their connections go by. */
  *versions(): Iterable<[userId: string, followsVersion: number]> {
    for (const [userId, { followsVersion }] of this.#people) yield [userId, followsVersion]
  }

  /** From now on the person's events reach the connection; topics come with `watch`. */
  add(connection: Connection): void {
    this.#size += 1
    const present = this.#people.get(connection.userId)
    if (present) present.connections.add(connection)
    else
      this.#people.set(connection.userId, {
        connections: new Set([connection]),
        followsVersion: 0,
        refreshing: false,
        again: false,
      })
  }

  remove(connection: Connection): void {
    for (const topicId of connection.topics) this.#unwatch(connection, topicId)
    this.#dirty.delete(connection)
    const present = this.#people.get(connection.userId)
    if (present?.connections.delete(connection)) this.#size -= 1
    if (present?.connections.size === 0) this.#people.delete(connection.userId)
  }

  watch(connection: Connection, { version, topics }: { version: number; topics: Iterable<number> }): void {
    const present = this.#people.get(connection.userId)
    if (!present?.connections.has(connection)) return
    present.followsVersion = Math.max(present.followsVersion, version)
    for (const topicId of topics) {
      if (connection.topics.has(topicId)) continue
      connection.topics.add(topicId)
      const watching = this.#byTopic.get(topicId)
      if (watching) watching.add(connection)
      else this.#byTopic.set(topicId, new Set([connection]))
    }
  }

  #unwatch(connection: Connection, topicId: number): void {
    connection.topics.delete(topicId)
    const watching = this.#byTopic.get(topicId)
    watching?.delete(connection)
    if (watching?.size === 0) this.#byTopic.delete(topicId)
  }

  /** A log entry, in order. A withdrawal takes effect before the entry itself is handed out. */
  deliver(entry: Framed, committedMs: number = entry.position.ms): void {
    if (entry.kind === 'update') this.#applyRights(JSON.parse(entry.data) as UpdateEvent)
    const watching = this.#byTopic.get(entry.topicId)
    if (!watching) return
    let readers = 0
    for (const connection of watching) {
      if (!connection.isHeld) readers += 1
      this.#send(connection, entry.frame, entry.topicId)
    }
    if (this.#deps.figures && readers > 0) this.#leaving.push({ committedMs, readers })
  }

  #applyRights({ topic, change }: UpdateEvent): void {
    if (change.kind === 'member' && change.state === 'removed')
      void this.#review(topic, [...(this.#people.get(change.person.id)?.connections ?? [])])
    if (change.kind === 'settings' && change.visibility === 'private') void this.#review(topic, [...this.connections()])
  }

  /** Nothing goes out to these connections until it is known who may still see the topic. */
  async #review(topicId: number, connections: Connection[]): Promise<void> {
    const live: Connection[] = []
    for (const connection of connections) {
      const present = this.#people.get(connection.userId)
      if (present) present.again = true
      // What it loads was decided before the change: it comes again and loads anew, from where it was.
      if (connection.loading) connection.end()
      else if (connection.topics.has(topicId)) {
        connection.hold()
        live.push(connection)
      }
    }
    const people = [...new Set(live.map(({ userId }) => userId))]
    if (people.length === 0) return
    try {
      const readers = new Set(await this.#deps.readers(topicId, people))
      for (const connection of live) {
        if (!readers.has(connection.userId)) this.#unwatch(connection, topicId)
        if (connection.letGo()) this.#markDirty(connection)
      }
      for (const userId of people) if (!readers.has(userId)) void this.refreshFollows(userId)
    } catch (error) {
      // Not knowing is no reason to send: they come again.
      for (const connection of live) connection.end()
      this.#deps.onError(error)
    }
  }

  /** Brings the person's connections in line with what they follow now, and tells them. */
  async refreshFollows(userId: string): Promise<void> {
    const present = this.#people.get(userId)
    if (!present) return
    present.again = true
    if (present.refreshing) return
    present.refreshing = true
    try {
      while (present.again) {
        present.again = false
        const { version, topics } = await this.#deps.followed(userId)
        // A change came while we asked: the answer may be from before it.
        if (present.again) continue
        this.#follow(present, version, new Set(topics.map(({ id }) => id)))
      }
    } catch (error) {
      this.#deps.onError(error)
    } finally {
      present.refreshing = false
    }
  }

  #follow(present: Present, version: number, topics: ReadonlySet<number>): void {
    const control: ControlEvent = { type: 'follows', version, topics: [...topics] }
    const frame = personalFrame('control', control)
    present.followsVersion = version
    for (const connection of present.connections) {
      for (const topicId of connection.topics) if (!topics.has(topicId)) this.#unwatch(connection, topicId)
      this.watch(connection, { version, topics })
      this.#send(connection, frame)
    }
  }

  deliverPersonal(event: PersonalEvent): void {
    const present = this.#people.get(event.userId)
    if (!present) return
    switch (event.type) {
      case 'follows':
        void this.refreshFollows(event.userId)
        break
      case 'signed-out':
        this.endSessions(new Set([event.sessionId]), present.connections)
        break
      case 'bell': {
        const bell: BellEvent = { unread: event.unread }
        const frame = personalFrame('bell', bell)
        for (const connection of present.connections) this.#send(connection, frame)
        break
      }
      case 'reads': {
        const frames = [personalFrame('read', event.read), personalFrame('unread', event.counts)]
        for (const connection of present.connections) for (const frame of frames) this.#send(connection, frame)
      }
    }
  }

  endSessions(ended: ReadonlySet<string>, among: Iterable<Connection> = this.connections()): void {
    for (const connection of [...among]) if (ended.has(connection.sessionId)) connection.end()
  }

  /** The same bytes to everybody: beats and resets. */
  broadcast(frame: Buffer): void {
    for (const connection of this.connections()) this.#send(connection, frame)
  }

  /** A last frame of its own for each connection, then the end. */
  endAll(lastFrame: () => Buffer): void {
    for (const connection of [...this.connections()]) connection.end(lastFrame())
  }

  #send(connection: Connection, frame: Buffer, topicId: number | null = null): void {
    if (connection.queue(frame, topicId)) this.#markDirty(connection)
  }

  #markDirty(connection: Connection): void {
    this.#dirty.add(connection)
    this.#writes.ask()
  }

  flush(): void {
    const dirty = this.#dirty
    this.#dirty = new Set()
    const joined = new JoinedFrames()
    let written = 0
    let dropped = 0
    for (const connection of dirty) {
      const events = connection.flush(joined)
      if (events > 0) written += events
      else dropped -= events
    }
    if (this.#deps.figures) this.#measure(this.#deps.figures, written, dropped)
  }

  /** After the last write: nobody waited longer than this says. */
  #measure(figures: DeliveryFigures, written: number, dropped: number): void {
    if (written > 0 || dropped > 0) figures.wrote(written, dropped)
    if (this.#leaving.length === 0) return
    const now = this.#deps.now?.() ?? Date.now()
    for (const { committedMs, readers } of this.#leaving) figures.left(Math.max(0, now - committedMs) / 1_000, readers)
    this.#leaving = []
  }

  /** The replay is out: what arrived meanwhile follows, then `last`, and from here on the connection is live. */
  release(connection: Connection, last: Buffer): void {
    connection.loading = false
    if (connection.letGo()) this.#markDirty(connection)
    this.#send(connection, last)
  }
}
