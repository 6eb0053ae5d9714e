import { describe, expect, it } from 'vitest'
import { readEdgeItem } from './edge-event.ts'
import { type AskedSession, type KeptSession, openEdgeStream, RENEW_EARLY_MS, type Ready } from './edge-stream.ts'
import { handClock, settled } from './testing.ts'

const ready = (part: Partial<Ready> = {}): Ready => ({
  ...{ state: 'ready', id: 's1', url: 'https://edge.example/v1/feed/stream/session:s1', offset: '0_0', fresh: true },
  ...{ token: 'token-1', expiresInMs: 300_000, followsVersion: 1, ...part },
})

type Connection = {
  url: string
  token: string
  tell: (event: string, data: unknown) => Promise<void>
  end: () => Promise<void>
}

function open({ kept = { id: null, offset: null }, answers }: { kept?: KeptSession; answers: AskedSession[] }) {
  const clock = handClock()
  const connections: Connection[] = []
  const refusals: number[] = []
  const asked: (string | null)[] = []
  const said: unknown[] = []
  let last = kept
  const stream = openEdgeStream({
    ...{ kept, timers: clock.timers, now: clock.now, random: () => 0 },
    ask: async (known) => {
      asked.push(known)
      return answers.shift() ?? 'failed'
    },
    keep: (next) => {
      last = next
    },
    fetch: async (url, init) => {
      const refused = refusals.shift()
      if (refused !== undefined) return new Response(null, { status: refused })
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      const headers = new Headers(init?.headers)
      connections.push({
        url: String(url),
        token: headers.get('authorization') ?? '',
        tell: async (event, data) => {
          await writer.write(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
          await settled()
        },
        end: async () => {
          await writer.close()
          await settled()
        },
      })
      return new Response(readable)
    },
    onOpen: () => said.push('opened'),
    onBeat: (age) => said.push(['beat', age]),
    onEvent: (event) => said.push([event.name, event.body]),
    onDoubt: () => said.push('doubt'),
    onOff: () => said.push('off'),
    onEnd: (trouble) => said.push(['ended', trouble]),
  })
  return { clock, connections, refusals, asked, said, stream, answers, kept: () => last }
}

describe('the stream at the edge', () => {
  it('[LIVE-11] reads the session’s stream from its beginning, with its token, and keeps its place', async () => {
    const { connections, asked, said, kept } = open({ answers: [ready()] })
    await settled()
    expect(asked).toEqual([null])
    const [first] = connections as [Connection]
    expect(first.url).toBe(`${ready().url}?offset=0_0&live=sse&beat=true`)
    expect(first.token).toBe('Bearer token-1')
    await first.tell('data', [
      { topic: 1, seq: 2, activity: { id: 9 } },
      { name: 'bell', body: { unread: 1 } },
    ])
    await first.tell('control', { streamNextOffset: '0_90' })
    await first.tell('beat', { beatAgeMs: 12 })
    expect(said).toEqual([
      'opened',
      ['activity', { topic: 1, seq: 2, activity: { id: 9 } }],
      ['bell', { unread: 1 }],
      ['beat', 12],
    ])
    expect(kept()).toEqual({ id: 's1', offset: '0_90' })
  })

  it('[LIVE-11] goes on by itself when the edge ends its minute, and ends when nothing is told any more', async () => {
    const { connections, said } = open({ answers: [ready()] })
    await settled()
    await connections[0]!.tell('control', { streamNextOffset: '0_90' })
    await connections[0]!.end()
    expect(connections[1]!.url).toContain('offset=0_90')
    expect(said).toEqual(['opened'])
    await connections[1]!.end()
    expect(said).toEqual(['opened', ['ended', { kind: 'closed' }]])
  })

  it('[STR-5] the token is renewed before it ends, and the server is asked then what it knows', async () => {
    const { clock, connections, asked, said, answers } = open({ answers: [ready()] })
    await settled()
    await connections[0]!.tell('beat', { beatAgeMs: 0 })
    answers.push(ready({ token: 'token-2', fresh: false }))
    for (let at = 0; at < 300_000 - RENEW_EARLY_MS; at += 30_000) {
      await clock.pass(30_000)
      await connections[0]!.tell('beat', { beatAgeMs: 0 })
    }
    expect(asked).toEqual([null, 's1'])
    expect(said.filter((one) => one === 'doubt')).toHaveLength(1)
    expect(connections).toHaveLength(1)
    await connections[0]!.end()
    expect(connections[1]!.token).toBe('Bearer token-2')
  })

  it('[LIVE-11] comes back to its own place, unless the stream is another one', async () => {
    const back = open({ kept: { id: 's1', offset: '0_77' }, answers: [ready({ fresh: false, offset: '0_80' })] })
    await settled()
    expect(back.asked).toEqual(['s1'])
    expect(back.connections[0]!.url).toContain('offset=0_77')
    expect(back.said).toEqual(['opened'])
    const other = open({ kept: { id: 's1', offset: '0_77' }, answers: [ready({ fresh: true })] })
    await settled()
    expect(other.connections[0]!.url).toContain('offset=0_0')
    expect(other.said).toEqual(['doubt', 'opened'])
  })

  it.each([400, 401, 403, 404, 410])('[LIVE-11] %i: asks for another session, once', async (status) => {
    const { connections, refusals, asked, said } = open({ answers: [ready(), ready({ id: 's2', token: 'token-2' })] })
    refusals.push(status, status)
    await settled()
    await settled()
    expect(asked).toEqual([null, 's1'])
    expect(connections).toHaveLength(0)
    expect(said.at(-1)).toEqual(['ended', { kind: 'status', status }])
  })

  it.each([
    ['signed-out' as const, ['ended', 'signed-out']],
    ['failed' as const, ['ended', { kind: 'network' }]],
    [{ state: 'down' } as const, ['ended', { kind: 'status', status: 503 }]],
    [{ state: 'off' } as const, 'off'],
  ])('[LIVE-11] without a session it ends, and says why: %j', async (answer, word) => {
    const { said, connections } = open({ answers: [answer] })
    await settled()
    expect(said).toEqual([word])
    expect(connections).toEqual([])
  })

  it('[DLV-3] what the edge could not take is asked for at the server; what nobody knows is let pass', () => {
    expect(readEdgeItem({ topic: 1, seq: 2, gone: true })).toBe('gone')
    expect(readEdgeItem({ topic: 1, seq: 2, change: { kind: 'x' } })).toMatchObject({ name: 'update', id: null })
    for (const odd of [null, 1, 'x', {}, { name: 'beat', body: {} }, { name: 'activity' }])
      expect(readEdgeItem(odd)).toBeNull()
  })
})
