// Many actors on real sockets, each no more than an address, a socket and a listener.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { createTestHarness } from 'wrangler'
import { ROOT } from '#scripts/repository-files.ts'
import { type HubTokenWish, hubToken, TEST_PROJECT } from '#scripts/testing/edge-tokens.ts'
import { HUB_ADDRESS } from '#shared/hub/address.ts'
import { createMessage, type SharedMessage } from '#shared/hub/message.ts'
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL } from '#shared/hub/tuning.ts'

const PATIENCE_MS = 60_000
/** At once: more only wait for each other. */
const OPENING = 50

export type Actor = {
  address: string
  socket: WebSocket
  onMessage: (message: SharedMessage) => void
  say: (type: string, payload: unknown, more?: Partial<SharedMessage>) => string
  renewalToken: string
}

export async function connectActor(
  url: string,
  wish: HubTokenWish & { actor: string },
  renewalToken?: string,
): Promise<Actor> {
  const token = await hubToken(wish)
  const target = `${url.replace('http', 'ws')}/v1/${TEST_PROJECT}/hub/connect`
  const socket = new WebSocket(target, [SUBPROTOCOL, TOKEN_SUBPROTOCOL + token])
  const actor: Actor = {
    ...{ address: wish.actor, socket, onMessage: () => {}, renewalToken: '' },
    say: (type, payload, more = {}) => {
      const id = more.id ?? randomUUID()
      const head = { id, from: wish.actor, to: HUB_ADDRESS, type, payload, timestamp: Date.now() }
      socket.send(JSON.stringify(createMessage({ ...head, ...more })))
      return id
    },
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer of the hub')), PATIENCE_MS)
    const settle = (act: () => void) => {
      clearTimeout(timer)
      act()
    }
    socket.addEventListener('open', () =>
      actor.say('hub:register', {
        ...{ actorAddress: wish.actor, capabilities: wish.capabilities ?? [] },
        ...(renewalToken === undefined ? {} : { renewalToken }),
      }),
    )
    socket.addEventListener('error', () => settle(() => reject(new Error('not let in'))))
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as SharedMessage
      if (message.type === 'hub:registered') {
        actor.renewalToken = (message.payload as { renewalToken: string }).renewalToken
        settle(resolve)
      } else actor.onMessage(message)
    })
  })
  return actor
}

/** Refused ones try again, as clients do. */
export async function connectUntilIn(
  ...args: Parameters<typeof connectActor>
): Promise<{ actor: Actor; tries: number }> {
  for (let tries = 1; ; tries++) {
    try {
      return { actor: await connectActor(...args), tries }
    } catch (error) {
      if (tries === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 900))
    }
  }
}

export async function connectCrowd(url: string, wishes: (HubTokenWish & { actor: string })[]): Promise<Actor[]> {
  const actors: Actor[] = []
  for (let at = 0; at < wishes.length; at += OPENING) {
    const some = await Promise.all(wishes.slice(at, at + OPENING).map((wish) => connectUntilIn(url, wish)))
    actors.push(...some.map(({ actor }) => actor))
  }
  return actors
}

export async function startEcho(): Promise<{ open: () => Promise<WebSocket>; stop: () => Promise<void> }> {
  const server = createTestHarness({
    workers: [
      { config: { name: 'echo', main: join(ROOT, 'bench/hub/echo-worker.ts'), compatibility_date: '2026-09-01' } },
    ],
  })
  const { url } = await server.listen()
  return {
    open: () =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(url.href.replace('http', 'ws'))
        socket.addEventListener('open', () => resolve(socket))
        socket.addEventListener('error', () => reject(new Error('no echo')))
      }),
    stop: () => server.close(),
  }
}
