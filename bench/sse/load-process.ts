// One process of simulated browsers: plain sockets that open a stream, look for marks and count. Forked by clients.ts.
import { connect, type Socket } from 'node:net'
import type { LoadCommand, LoadOptions, LoadReport } from './clients.ts'
import { Histogram } from './histogram.ts'
import { findMarks, microseconds } from './mark.ts'

const RETRY_MS = 250

/** Told first. */
let options: LoadOptions
let latency = new Histogram()
let delivered = 0
let repeated = 0
let measuring = false
let refused = 0
let attempts = 0
let down = false

class Browser {
  readonly #index: number
  #socket: Socket | null = null
  #rest: Buffer = Buffer.alloc(0)
  #lastId = ''
  open = false
  /** Numbers seen: all below `next`, and these. */
  next = 0
  readonly #ahead = new Set<number>()

  constructor(index: number) {
    this.#index = index
  }

  connect(): void {
    attempts += 1
    this.#rest = Buffer.alloc(0)
    const { port, path, cookies, protocol, localAddresses } = options
    const socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      localAddress: `127.0.0.${1 + (this.#index % localAddresses)}`,
    })
    this.#socket = socket
    let head = ''
    const onHead = (bytes: Buffer) => {
      head += bytes.toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) return
      socket.off('data', onHead)
      const status = Number(head.slice(9, 12))
      if (status !== 200 && status !== 101) {
        refused += 1
        const seconds = Number(/retry-after: (\d+)/i.exec(head)?.[1] ?? 0)
        socket.destroy()
        setTimeout(() => this.#again(), seconds * 1_000 + RETRY_MS * Math.random())
        return
      }
      this.open = true
      if (protocol === 'socketio') socket.write(maskedText('40'))
      socket.on('data', (more) => this.#read(more))
      const rest = Buffer.from(head.slice(end + 4), 'latin1')
      if (rest.length > 0) this.#read(rest)
    }
    socket.on('data', onHead)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      const wasOpen = this.open
      this.open = false
      if (this.#socket === socket && (wasOpen || head === ''))
        setTimeout(() => this.#again(), RETRY_MS * (0.5 + Math.random()))
    })
    const cookie = cookies.length > 0 ? `Cookie: ${cookies[this.#index % cookies.length]}\r\n` : ''
    const resume = this.#lastId ? `Last-Event-ID: ${this.#lastId}\r\n` : ''
    const upgrade =
      protocol === 'socketio'
        ? 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
        : 'Accept: text/event-stream\r\n'
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${upgrade}${cookie}${resume}\r\n`)
  }

  #again(): void {
    if (!down && !this.open) this.connect()
  }

  drop(): void {
    const socket = this.#socket
    this.#socket = null
    this.open = false
    socket?.destroy()
  }

  #read(bytes: Buffer): void {
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes
    const now = microseconds()
    const rest = findMarks(all, (number, publishedAt) => this.#mark(number, publishedAt, now))
    if (options.resume) this.#noteId(all)
    this.#rest = rest < all.length ? Buffer.from(all.subarray(rest)) : Buffer.alloc(0)
  }

  /** Only a whole frame moves the place to resume from. */
  #noteId(bytes: Buffer): void {
    const end = bytes.lastIndexOf('\n\n')
    const start = end === -1 ? -1 : bytes.lastIndexOf('id: ', end)
    if (start === -1) return
    this.#lastId = bytes.toString('latin1', start + 4, bytes.indexOf('\n', start))
  }

  #mark(number: number, publishedAt: number, now: number): void {
    if (number < this.next || this.#ahead.has(number)) {
      repeated += 1
      return
    }
    if (number === this.next) {
      this.next += 1
      while (this.#ahead.delete(this.next)) this.next += 1
    } else this.#ahead.add(number)
    delivered += 1
    if (measuring) latency.add(now - publishedAt)
  }
}

/** A short text frame as a client has to send it. */
function maskedText(text: string): Buffer {
  const frame = Buffer.alloc(6 + text.length)
  frame[0] = 0x81
  frame[1] = 0x80 | text.length
  frame.write(text, 6, 'latin1')
  return frame
}

const browsers: Browser[] = []
const report = (): LoadReport => ({
  open: browsers.filter((browser) => browser.open).length,
  delivered,
  repeated,
  refused,
  attempts,
  /** How far the one that is furthest behind has got. */
  least: browsers.reduce((least, { next }) => Math.min(least, next), Number.POSITIVE_INFINITY),
  whole: browsers.filter(({ open, next }) => open && next >= options.whole).length,
  latency: [...latency.counts],
})

process.on('message', (command: LoadCommand) => {
  if (command.type === 'begin') options = command.options
  else if (command.type === 'connect') {
    for (let i = command.from; i < command.to; i++) {
      const browser = new Browser(i)
      browsers.push(browser)
      setTimeout(() => browser.connect(), ((i - command.from) / command.perSecond) * 1_000)
    }
  } else if (command.type === 'measure') {
    measuring = command.on
    if (command.on) latency = new Histogram()
  } else if (command.type === 'drop') {
    down = true
    for (const browser of browsers) browser.drop()
  } else if (command.type === 'return') {
    down = false
    options.whole = command.whole
    for (const browser of browsers) browser.connect()
  } else process.send?.({ id: command.id, report: report() })
})
process.on('disconnect', () => process.exit(0))
