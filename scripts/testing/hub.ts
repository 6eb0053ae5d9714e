// The hub on workerd for tests: its Worker alone, with the power to put shards to sleep or to evict them, and actors that
// speak the protocol frame by frame, so that they can also speak it wrongly.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createTestHarness } from 'wrangler'
import { HUB_ADDRESS } from '#shared/hub/address.ts'
import { createMessage, type SharedMessage } from '#shared/hub/message.ts'
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL } from '#shared/hub/tuning.ts'
import { ROOT } from '../repository-files.ts'
import { edgeToken, type HubTokenWish, hubToken, TEST_KEYS, TEST_PROJECT } from './edge-tokens.ts'

const WAIT_MS = 20_000
const OBJECT = 'SIGNAL_HUB'

export type TestHub = {
  url: string
  /** `hibernate` keeps the sockets, `close` cuts them; memory is lost both ways. */
  evict: (shard: string, webSockets: 'hibernate' | 'close') => Promise<void>
  rows: <Row>(shard: string, query: string, ...bindings: unknown[]) => Promise<Row[]>
  connect: (wish: HubTokenWish & { actor: string }) => Promise<TestActor>
  open: (path: string, protocols: string[]) => Promise<{ socket: WebSocket } | { refused: true }>
  /** As the origin, with its write token. */
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>
  get: (path: string) => Promise<Response>
  stop: () => Promise<void>
}

export async function startTestHub(vars: Record<string, string> = {}): Promise<TestHub> {
  const server = createTestHarness({
    workers: [
      {
        configPath: join(ROOT, 'edge/hub/wrangler.jsonc'),
        vars: { EDGE_PROJECT_KEYS: TEST_KEYS, EDGE_OPEN_PROJECT: 'default', HUB_PROFILE: 'high-traffic', ...vars },
      },
    ],
  })
  const { url: address } = await server.listen()
  const url = address.href.replace(/\/$/, '')
  const worker = server.getWorker()
  const name = (shard: string) => `${TEST_PROJECT}/${shard}`
  const token = await edgeToken({ seconds: 3_000 })
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const open: TestHub['open'] = (path, protocols) => openSocket(`${url.replace('http', 'ws')}${path}`, protocols)
  return {
    url,
    open,
    evict: (shard, webSockets) => worker.evictDurableObject(OBJECT as never, { name: name(shard), webSockets }),
    rows: async (shard, query, ...bindings) => {
      const sql = await worker.getDurableObjectStorage(OBJECT as never, { name: name(shard) })
      return (await sql.exec(query, ...(bindings as never[]))) as never
    },
    connect: async ({ actor, ...wish }) => {
      const jwt = await hubToken({ actor, ...wish })
      const opened = await open(`/v1/${TEST_PROJECT}/hub/connect`, [SUBPROTOCOL, TOKEN_SUBPROTOCOL + jwt])
      if ('refused' in opened) throw new Error(`${actor} was not let in`)
      return new TestActor(actor, opened.socket)
    },
    post: (path, body, extra = {}) =>
      fetch(`${url}/v1/${TEST_PROJECT}/hub/${path}`, {
        ...{ method: 'POST', headers: { ...headers, ...extra }, body: JSON.stringify(body) },
      }),
    get: (path) => fetch(`${url}${path}`, { headers }),
    stop: () => server.close(),
  }
}

function openSocket(url: string, protocols: string[]): Promise<{ socket: WebSocket } | { refused: true }> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, protocols)
    socket.addEventListener('open', () => resolve({ socket }))
    socket.addEventListener('error', () => resolve({ refused: true }))
  })
}

type Heard = (message: SharedMessage) => boolean

export class TestActor {
  readonly address: string
  readonly socket: WebSocket
  /** Everything that came and was not taken yet, in order. */
  readonly heard: SharedMessage[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  readonly #waiting: { wanted: Heard; take: (message: SharedMessage) => void }[] = []

  constructor(address: string, socket: WebSocket) {
    this.address = address
    this.socket = socket
    socket.addEventListener('message', ({ data }) => this.#hear(String(data)))
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
    })
  }

  say(type: string, payload: unknown, more: Partial<SharedMessage> = {}): string {
    const id = more.id ?? randomUUID()
    const message = createMessage({
      ...{ id, from: this.address, to: HUB_ADDRESS, type, payload, timestamp: Date.now(), ...more },
    })
    this.socket.send(JSON.stringify(message))
    return id
  }

  /** Says it and takes the answer. */
  async ask(type: string, payload: unknown, more: Partial<SharedMessage> = {}): Promise<SharedMessage> {
    const id = this.say(type, payload, more)
    return this.next((message) => message.correlationId === id)
  }

  async register(payload: Record<string, unknown> = {}): Promise<SharedMessage> {
    return this.ask('hub:register', { actorAddress: this.address, ...payload })
  }

  send(to: string, type: string, payload: unknown, more: Partial<SharedMessage> = {}): Promise<SharedMessage> {
    return this.ask('hub:send', { targetAddress: to, message: { type, payload } }, { pattern: 'ask', ...more })
  }

  tell(to: string, type: string, payload: unknown, more: Partial<SharedMessage> = {}): string {
    return this.say('hub:send', { targetAddress: to, message: { type, payload } }, more)
  }

  /** The next message that fits; earlier ones that do not are left. */
  next(wanted: Heard | string, limitMs = WAIT_MS): Promise<SharedMessage> {
    const fits: Heard = typeof wanted === 'string' ? ({ type }) => type === wanted : wanted
    const at = this.heard.findIndex(fits)
    if (at >= 0) return Promise.resolve(this.heard.splice(at, 1)[0]!)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.address} heard nothing that fits, but ${JSON.stringify(this.heard.slice(-5))}`)),
        limitMs,
      )
      const take = (message: SharedMessage) => {
        clearTimeout(timer)
        resolve(message)
      }
      this.#waiting.push({ wanted: fits, take })
    })
  }

  close(): void {
    this.socket.close()
  }

  #hear(text: string): void {
    const message = JSON.parse(text) as SharedMessage
    const at = this.#waiting.findIndex(({ wanted }) => wanted(message))
    if (at >= 0) this.#waiting.splice(at, 1)[0]!.take(message)
    else this.heard.push(message)
  }
}
