// Hears of appends to one stream over a socket from its object. The object may sleep meanwhile. Open it before reading,
// or an append between the two is missed. A socket that is lost, or a reader too slow for the notices, shows as `lost`:
// read again, nothing is missing then.
import { type Notice, noticeSchema } from './core/notice.ts'
import { MAX_WAITING_NOTICES } from './core/tuning.ts'
import type { StreamsEnv } from './env.ts'

export type TailSignal = Notice | { type: 'lost' } | { type: 'quiet' }

export class Tail {
  readonly #stub: ReturnType<StreamsEnv['STREAM_DO']['getByName']>
  #socket: WebSocket | null = null
  #waiting: TailSignal[] = []
  #wake: (() => void) | null = null
  /** Whether the object answered our last question for a sign of life. */
  #answered = true

  constructor(stub: ReturnType<StreamsEnv['STREAM_DO']['getByName']>) {
    this.#stub = stub
  }

  /** False when there is no such stream (any more). */
  async open(): Promise<boolean> {
    this.close()
    const { webSocket } = await this.#stub.fetch('http://stream/tail', { headers: { Upgrade: 'websocket' } })
    if (webSocket === null) return false
    this.#socket = webSocket
    this.#waiting = []
    this.#answered = true
    const ours = (signal: TailSignal) => {
      if (this.#socket === webSocket) this.#hear(signal)
    }
    webSocket.addEventListener('message', ({ data }) => {
      if (data === 'pong') this.#answered = true
      else ours(noticeSchema.parse(JSON.parse(String(data))))
    })
    webSocket.addEventListener('close', () => ours({ type: 'lost' }))
    webSocket.addEventListener('error', () => ours({ type: 'lost' }))
    webSocket.accept()
    return true
  }

  /** The next signal; `quiet` when none came in time. */
  async next(withinMs: number): Promise<TailSignal> {
    if (this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, withinMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#wake = null
    }
    return this.#waiting.shift() ?? { type: 'quiet' }
  }

  hasMore(): boolean {
    return this.#waiting.length > 0
  }

  /** Asks for a sign of life; false when the last question got none. */
  probe(): boolean {
    if (!this.#answered) return false
    this.#answered = false
    this.#socket?.send('ping')
    return true
  }

  close(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.close(1000, 'done')
  }

  #hear(signal: TailSignal): void {
    this.#waiting.push(signal)
    // Whoever cannot keep up catches up from the stream; memory stays bounded.
    if (this.#waiting.length > MAX_WAITING_NOTICES) this.#waiting = [{ type: 'lost' }]
    this.#wake?.()
  }
}
