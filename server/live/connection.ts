// One open SSE answer. It collects frames for a short window and writes them to the socket in one go; a reader that
// does not keep up is closed, with its place intact on its side. While it is on hold frames wait, in order: for the
// replay that must go out first, or for the answer whether the reader may still see a topic.
import type { Socket } from 'node:net'
import type { Response } from 'express'
import { JoinedFrames } from './joined-frames.ts'

type Held = { frame: Buffer; topicId: number | null }

export class Connection {
  readonly id: string
  readonly userId: string
  readonly sessionId: string
  readonly topics = new Set<number>()
  /** Until the replay is out. */
  loading = true
  readonly #response: Response
  readonly #socket: Socket
  readonly #maxQueuedBytes: number
  #queue: Buffer[] = []
  /** Of the queue, how many are events of the log. */
  #queuedEvents = 0
  #held: Held[] = []
  #heldBytes = 0
  #holds = 1
  #ended = false

  constructor(options: {
    id: string
    response: Response
    socket: Socket
    userId: string
    sessionId: string
    maxQueuedBytes: number
  }) {
    this.id = options.id
    this.#response = options.response
    this.#socket = options.socket
    this.userId = options.userId
    this.sessionId = options.sessionId
    this.#maxQueuedBytes = options.maxQueuedBytes
  }

  get isHeld(): boolean {
    return this.#holds > 0
  }

  /** Returns whether the connection now waits for a flush that was not asked for before. */
  queue(frame: Buffer, topicId: number | null = null): boolean {
    if (this.#holds > 0) {
      this.#held.push({ frame, topicId })
      this.#heldBytes += frame.length
      if (this.#heldBytes > this.#maxQueuedBytes) this.cut()
      return false
    }
    this.#queue.push(frame)
    if (topicId !== null) this.#queuedEvents += 1
    return this.#queue.length === 1
  }

  hold(): void {
    this.#holds += 1
  }

  /** Ends one hold. What waited goes out, without the topics that are not watched any more; true: there is something. */
  letGo(): boolean {
    this.#holds -= 1
    if (this.#holds > 0) return false
    for (const { frame, topicId } of this.#held) {
      if (topicId !== null && !this.topics.has(topicId)) continue
      this.#queue.push(frame)
      if (topicId !== null) this.#queuedEvents += 1
    }
    this.#held = []
    this.#heldBytes = 0
    return this.#queue.length > 0
  }

  /** These went out with the replay. */
  dropHeld(sent: ReadonlySet<Buffer>): void {
    this.#held = this.#held.filter(({ frame }) => !sent.has(frame))
  }

  /** Writes at once, before anything that is held. */
  write(frame: Buffer): void {
    if (this.#isOpen) this.#socket.write(frame)
  }

  /** Returns how many events of the log were written; below zero: how many a reader that was cut did not get. */
  flush(joined: JoinedFrames): number {
    const frames = this.#queue
    if (frames.length === 0) return 0
    const events = this.#queuedEvents
    this.#queue = []
    this.#queuedEvents = 0
    if (!this.#isOpen) return 0
    if (this.#socket.writableLength > this.#maxQueuedBytes) {
      this.cut()
      return -events
    }
    this.#socket.write(joined.of(frames))
    return events
  }

  /** The socket outlives the answer: nothing of ours may follow its end. */
  get #isOpen(): boolean {
    return !this.#ended && !this.#socket.destroyed
  }

  /** Without a goodbye: the reader does not read. */
  cut(): void {
    this.#socket.destroy()
  }

  /** What is still held is not lost: it comes after the position that the reader resumes from. */
  end(lastFrame?: Buffer): void {
    this.flush(new JoinedFrames())
    if (lastFrame) this.write(lastFrame)
    this.#ended = true
    this.#response.end()
  }
}
