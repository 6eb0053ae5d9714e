// The real client on real sockets, for tests and benchmarks. It comes back at once: nobody here has thirty seconds.
import { randomUUID } from 'node:crypto'
import { systemClock } from '#shared/clock.ts'
import type { OpenSocket } from '#shared/hub/hub-link.ts'
import { type HubEvents, SignalHubClient, type SignalHubClientOptions } from '#shared/hub/signal-hub-client.ts'
import { type HubTokenWish, hubToken, TEST_PROJECT } from './edge-tokens.ts'

export const openWebSocket: OpenSocket = (url, protocols, events) => {
  const socket = new WebSocket(url, protocols)
  socket.addEventListener('open', events.onOpen)
  socket.addEventListener('message', ({ data }) => events.onText(String(data)))
  socket.addEventListener('close', ({ code, reason }) => events.onClose(code, reason))
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: (code, reason) => socket.close(code, reason),
  }
}

export function hubClient(
  url: string,
  wish: HubTokenWish & { actor: string },
  events: HubEvents & Partial<SignalHubClientOptions> = {},
): SignalHubClient {
  return new SignalHubClient({
    url: `${url.replace('http', 'ws')}/v1/${TEST_PROJECT}/hub/connect`,
    actor: wish.actor,
    token: () => hubToken(wish),
    openSocket: openWebSocket,
    clock: systemClock,
    random: () => 0.01,
    timer: (afterMs, run) => {
      const timer = setTimeout(run, afterMs)
      return () => clearTimeout(timer)
    },
    newId: () => randomUUID(),
    ...events,
  })
}
