// One open SSE answer. It collects frames for a short window and writes them to the socket in one go; a reader that
// does not keep up is closed, with its place intact on its side.

import type { Socket } from 'node:net'
import type { Response } from 'express'

export class Connection {
  readonly userId: string
  readonly sessionId: string
  readonly topics = new Set<number>()
  /** Topics withdrawn while the connection was still loading what it may see. */
  readonly withdrawn = new Set<number>()
  /** While set, live frames wait here until the replay has gone out. */
  held: Buffer[] | null = []
  readonly #response: Response
  readonly #socket: Socket
  #queue: Buffer[] = []
  readonly #maxQueuedBytes: number

  constructor(options: {
    response: Response
    socket: Socket
    userId: string
    sessionId: string
    maxQueuedBytes: number
  }) {
    this.#response = options.response
    this.#socket = options.socket
    this.userId = options.userId
    this.sessionId = options.sessionId
    this.#maxQueuedBytes = options.maxQueuedBytes
  }

  /** Returns whether the connection now waits for a flush that was not asked for before. */
  queue(frame: Buffer): boolean {
    if (this.held) {
      this.held.push(frame)
      return false
    }
    this.#queue.push(frame)
    return this.#queue.length === 1
  }

  /** Writes at once, before anything that is held. */
  write(frame: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(frame)
  }

  /** False: the reader is too far behind and was cut. */
  flush(): boolean {
    const frames = this.#queue
    if (frames.length === 0) return true
    this.#queue = []
    if (this.#socket.destroyed) return false
    if (this.#socket.writableLength > this.#maxQueuedBytes) {
      this.#socket.destroy()
      return false
    }
    this.#socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames))
    return true
  }

  /** What is still held is not lost: it comes after the position that the reader resumes from. */
  end(lastFrame?: Buffer): void {
    this.flush()
    if (lastFrame) this.write(lastFrame)
    this.#response.end()
  }
}
