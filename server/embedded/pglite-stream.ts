// A connection to the embedded Postgres as the `pg` driver sees it: a socket-like stream whose other end is a thread.
import { Duplex } from 'node:stream'

/** What the stream needs of the thread. */
export type Line = { send: (bytes: Uint8Array<ArrayBuffer>) => void; closed: () => void }

export class PgliteStream extends Duplex {
  #line: Line

  constructor(line: Line) {
    super({ allowHalfOpen: false })
    this.#line = line
  }

  /** The driver calls this as on a socket; there is nothing to connect to, but it waits for the event. */
  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  receive(bytes: Uint8Array<ArrayBuffer>): void {
    // Answers are bounded by what the queries ask for; there is no network to push back against.
    if (!this.destroyed) this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  // Parts of a socket that the driver sets and that mean nothing here.
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send([chunk])
    done()
  }

  /** The driver corks the parts of one query: they travel, and are answered, as one message. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(chunks.map(({ chunk }) => chunk))
    done()
  }

  #send(messages: Buffer[]): void {
    // The driver ends the stream only some turns after its farewell, when a pool may have opened the next connection.
    if (messages.some(isTerminate)) this.#line.closed()
    else this.#line.send(joined(messages))
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#line.closed()
    this.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#line.closed()
    done(error)
  }
}

/** `X` and its length: the whole of a Terminate message. The driver writes one message at a time. */
const isTerminate = (message: Buffer): boolean => message.length === 5 && message[0] === 0x58

/** A copy with a buffer of its own, because the buffer is handed over to the thread. */
function joined(parts: Buffer[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
