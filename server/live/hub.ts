// All open connections of this process, by topic and by person. Matching is by index, never by scanning; frames of one
// short window leave in one write per connection. Rights are applied here before anything later of the topic goes out.
import type { PersonalEvent } from '#server/app/ports.ts'
import type { ControlEvent, UpdateEvent } from '#shared/live-events.ts'
import type { Connection } from './connection.ts'
import { personalFrame } from './frames.ts'
import type { Framed } from './ring.ts'

export type HubDeps = {
  windowMs: number
  followed: (userId: string) => Promise<{ version: number; topics: { id: number }[] }>
  readers: (topicId: number, people: string[]) => Promise<string[]>
  onError: (error: unknown) => void
}

export class Hub {
  readonly #deps: HubDeps
  readonly #byTopic = new Map<number, Set<Connection>>()
  readonly #byPerson = new Map<string, Set<Connection>>()
  readonly #dirty = new Set<Connection>()
  #timer: NodeJS.Timeout | null = null
  #size = 0

  constructor(deps: HubDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#size
  }

  connectionsOf(userId: string): number {
    return this.#byPerson.get(userId)?.size ?? 0
  }

  /** From now on the person's events reach the connection; topics come with `watch`. */
  add(connection: Connection): void {
    this.#size += 1
    const ofPerson = this.#byPerson.get(connection.userId)
    if (ofPerson) ofPerson.add(connection)
    else this.#byPerson.set(connection.userId, new Set([connection]))
  }

  remove(connection: Connection): void {
    for (const topicId of connection.topics) this.#unwatch(connection, topicId)
    this.#dirty.delete(connection)
    const ofPerson = this.#byPerson.get(connection.userId)
    if (ofPerson?.delete(connection)) this.#size -= 1
    if (ofPerson?.size === 0) this.#byPerson.delete(connection.userId)
  }

  watch(connection: Connection, topicIds: Iterable<number>): void {
    for (const topicId of topicIds) {
      if (connection.topics.has(topicId) || connection.withdrawn.has(topicId)) continue
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
  deliver(entry: Framed): void {
    if (entry.kind === 'update') this.#applyRights(JSON.parse(entry.data) as UpdateEvent)
    const watching = this.#byTopic.get(entry.topicId)
    if (!watching) return
    for (const connection of watching) this.#send(connection, entry.frame)
  }

  #applyRights({ topic, change }: UpdateEvent): void {
    if (change.kind === 'member' && change.state === 'removed') {
      // Shut first, then look whether the topic is public: nothing may slip out meanwhile.
      this.#withdraw(topic, [...(this.#byPerson.get(change.person.id) ?? [])])
    }
    if (change.kind === 'settings' && change.visibility === 'private') {
      this.#withdraw(
        topic,
        [...this.#byPerson.values()].flatMap((ofPerson) => [...ofPerson]),
      )
    }
  }

  #withdraw(topicId: number, connections: Connection[]): void {
    const affected = connections.filter((connection) => connection.topics.has(topicId) || connection.held !== null)
    for (const connection of affected) {
      if (connection.held !== null) connection.withdrawn.add(topicId)
      this.#unwatch(connection, topicId)
    }
    const people = [...new Set(affected.map(({ userId }) => userId))]
    if (people.length === 0) return
    this.#deps
      .readers(topicId, people)
      .then((readers) => {
        // Those who may still see it lost a moment of it: their list makes the client fetch what it missed.
        for (const userId of people) {
          if (readers.includes(userId))
            for (const connection of this.#byPerson.get(userId) ?? []) connection.withdrawn.delete(topicId)
          void this.refreshFollows(userId)
        }
      })
      .catch(this.#deps.onError)
  }

  /** Brings the person's connections in line with what they follow now, and tells them. */
  async refreshFollows(userId: string): Promise<void> {
    try {
      const connections = this.#byPerson.get(userId)
      if (!connections) return
      const { version, topics } = await this.#deps.followed(userId)
      const wanted = new Set(topics.map(({ id }) => id))
      const control: ControlEvent = { type: 'follows', version, topics: [...wanted] }
      const frame = personalFrame('control', control)
      for (const connection of connections) {
        for (const topicId of connection.topics) if (!wanted.has(topicId)) this.#unwatch(connection, topicId)
        this.watch(connection, wanted)
        this.#send(connection, frame)
      }
    } catch (error) {
      this.#deps.onError(error)
    }
  }

  deliverPersonal(event: PersonalEvent): void {
    const connections = this.#byPerson.get(event.userId)
    if (!connections) return
    if (event.type === 'follows') return void this.refreshFollows(event.userId)
    if (event.type === 'signed-out') {
      for (const connection of connections) if (connection.sessionId === event.sessionId) connection.end()
      return
    }
    const frames = [personalFrame('read', event.read), personalFrame('unread', event.counts)]
    for (const connection of connections) for (const frame of frames) this.#send(connection, frame)
  }

  /** The same bytes to everybody: beats and resets. */
  broadcast(frame: Buffer): void {
    for (const ofPerson of this.#byPerson.values()) for (const connection of ofPerson) this.#send(connection, frame)
  }

  /** A last frame of its own for each connection, then the end. */
  endAll(lastFrame: () => Buffer): void {
    for (const ofPerson of [...this.#byPerson.values()])
      for (const connection of [...ofPerson]) connection.end(lastFrame())
  }

  #send(connection: Connection, frame: Buffer): void {
    if (!connection.queue(frame)) return
    this.#dirty.add(connection)
    this.#timer ??= setTimeout(() => this.flush(), this.#deps.windowMs)
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const dirty = [...this.#dirty]
    this.#dirty.clear()
    for (const connection of dirty) connection.flush()
  }

  /** The replay is out: what arrived meanwhile follows, and from here on the connection is live. */
  release(connection: Connection): void {
    const held = connection.held ?? []
    connection.held = null
    for (const frame of held) this.#send(connection, frame)
  }
}
