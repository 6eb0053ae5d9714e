import { describe, expect, it } from 'vitest'
import { openEventStream, SILENCE_MS, type StreamEvent } from './event-stream.ts'
import { retryAfterMs } from './retry-after.ts'

function setUp(answer: (signal: AbortSignal) => Response | Promise<Response>) {
  const events: StreamEvent[] = []
  const ends: unknown[] = []
  const asked: Headers[] = []
  let alarm: (() => void) | null = null
  let opened = 0
  let settle: () => void
  const ended = new Promise<void>((resolve) => {
    settle = resolve
  })
  const stream = openEventStream({
    url: '/x',
    lastEventId: 'abc.1-0',
    fetch: async (_, init) => {
      asked.push(new Headers(init?.headers))
      return answer(init!.signal!)
    },
    timers: {
      set: (run, ms) => {
        expect(ms).toBe(SILENCE_MS)
        alarm = run
        return run
      },
      clear: () => {
        alarm = null
      },
    },
    now: () => 0,
    onOpen: () => {
      opened += 1
    },
    onEvent: (event) => events.push(event),
    onEnd: (...end) => {
      ends.push(end)
      settle()
    },
  })
  return { stream, events, ends, asked, ended, ring: () => alarm?.(), opened: () => opened }
}

const sse = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } })

describe('event stream', () => {
  it('[LIVE-2] sends the position it goes on from and gives out events with theirs', async () => {
    const run = setUp(() => sse('event: beat\ndata: {"a":1}\n\nid: abc.2-0\nevent: activity\ndata: {}\n\n'))
    await run.ended
    expect(run.asked[0]?.get('last-event-id')).toBe('abc.1-0')
    expect(run.events).toEqual([
      { event: 'beat', id: undefined, data: '{"a":1}' },
      { event: 'activity', id: 'abc.2-0', data: '{}' },
    ])
    expect(run.opened()).toBe(1)
    expect(run.ends).toEqual([[{ kind: 'closed' }, null]])
  })

  it('[LIVE-6] a refusal says its status and how long to wait', async () => {
    const run = setUp(() => new Response('', { status: 503, headers: { 'retry-after': '7' } }))
    await run.ended
    expect(run.ends).toEqual([[{ kind: 'status', status: 503 }, 7_000]])
    expect(run.opened()).toBe(0)
  })

  it('[LIVE-5] 401 is final', async () => {
    const run = setUp(() => new Response('', { status: 401 }))
    await run.ended
    expect(run.ends).toEqual([['signed-out', null]])
  })

  it('[LIVE-13] a connection that says nothing is given up once, however it ends afterwards', async () => {
    const run = setUp(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    )
    run.ring()
    await run.ended
    await Promise.resolve()
    expect(run.ends).toEqual([[{ kind: 'silent' }, null]])
  })

  it('[LIVE-11] closed by us, it reports nothing', async () => {
    let over = () => {}
    const aborted = new Promise<void>((resolve) => {
      over = resolve
    })
    const run = setUp(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('aborted'))
            over()
          })
        }),
    )
    run.stream.close()
    await aborted
    await Promise.resolve()
    expect(run.ends).toEqual([])
  })

  it('[LIVE-10] Retry-After is seconds or a date', () => {
    expect(retryAfterMs('12', 0)).toBe(12_000)
    expect(retryAfterMs('Thu, 01 Jan 1970 00:01:00 GMT', 15_000)).toBe(45_000)
    expect(retryAfterMs('soon', 0)).toBeNull()
    expect(retryAfterMs(null, 0)).toBeNull()
  })
})
