// The outside that the handlers talk to: a webhook receiver and an edge with its topic streams. They remember what they
// took, in the order in which they took it, and can be told to fail.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

export type Mood = 'well' | 'down' | 'gone' | 'slow'

export const POISON = { hook: 'poison-hook', edge: 'poison-edge' } as const
const SLOW_MS = 20

export async function openReceivers() {
  let mood: Mood = 'well'
  /** By place: how often it came. */
  const hooks = new Map<string, number>()
  /** By topic, the numbers in the order of their arrival, and those whose place is a tombstone. */
  const streams = new Map<number, number[]>()
  const tombstones = new Set<string>()
  const disorder: string[] = []

  function takeHook(id: string, body: string): number {
    if (body.includes(POISON.hook)) return 422
    const place = id.replace('evt_', '').replace('_', ':')
    hooks.set(place, (hooks.get(place) ?? 0) + 1)
    return 204
  }

  /** As the edge does: all or none, and only what follows its last; otherwise it says where it is. */
  function takeEvents(topic: number, after: string, body: string): { status: number; last?: string } {
    const stream = streams.get(topic) ?? []
    const last = stream.at(-1) ?? null
    if ((after === 'none' ? null : Number(after)) !== last) return { status: 412, last: String(last ?? 'none') }
    if (body.includes(POISON.edge)) return { status: 413 }
    for (const { seq, gone } of JSON.parse(body) as { seq: number; gone?: boolean }[]) {
      const before = stream.at(-1) ?? 0
      if (seq !== before + 1) disorder.push(`topic ${topic}: ${seq} after ${before}`)
      stream.push(seq)
      if (gone) tombstones.add(`${topic}:${seq}`)
    }
    streams.set(topic, stream)
    return { status: 204 }
  }

  const server = createServer(async (req, res) => {
    try {
      const body = await text(req)
      if (mood === 'gone') {
        req.socket.destroy()
        return
      }
      if (mood === 'slow') await sleep(SLOW_MS)
      const publish = /\/publish\/topic:(\d+)$/.exec(req.url ?? '')
      if (mood === 'down') res.writeHead(503).end()
      else if (publish) {
        const { status, last } = takeEvents(Number(publish[1]), String(req.headers['stream-after-seq']), body)
        res.writeHead(status, last === undefined ? {} : { 'stream-seq': last }).end()
      } else res.writeHead(takeHook(String(req.headers['webhook-id']), body)).end()
    } catch {
      // The sender was killed while it spoke: it took nothing, and neither did we.
      req.socket.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    hookUrl: `${base}/hook`,
    edgeUrl: base,
    hooks,
    streams,
    tombstones,
    disorder,
    feel: (next: Mood) => {
      mood = next
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export type Receivers = Awaited<ReturnType<typeof openReceivers>>
