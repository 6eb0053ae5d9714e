import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { beforeEach, describe, expect, it } from 'vitest'
import type { FeedItem, FeedPage } from '#shared/feed.ts'
import { createFeedCache, type FeedCache, feedKey } from './feed-cache.ts'
import { connectionOf } from './ladder.ts'
import { type Answer, type Ask, createLive } from './live.ts'
import { type FeedData, FIRST_PAGE } from './merge.ts'
import { anItem } from './testing.ts'

const KEY = feedKey({ filter: 'all' })
const ada = { id: 'p-ada', handle: 'ada' }
const at = (item: FeedItem) => ({ topic: item.topic.id, seq: item.seq, activity: item })

/** A page with a live client whose streams and answers are in the test's hands. */
/** The client closes streams in many of these tests; writing to a closed one is not what they are about. */
const ignoreCut = () => undefined

function setUp() {
  let now = 1_000_000
  const alarms = new Set<{ at: number; run: () => void }>()
  const timers = {
    set: (run: () => void, ms: number) => {
      const alarm = { at: now + ms, run }
      alarms.add(alarm)
      return alarm
    },
    clear: (alarm: unknown) => void alarms.delete(alarm as { at: number; run: () => void }),
  }
  const frames: (() => void)[] = []
  const queryClient = new QueryClient()
  const pages: FeedPage[] = []
  const cache: FeedCache = createFeedCache({
    queryClient,
    reader: ada,
    fetchPage: async () => pages.shift()!,
    now: () => now,
    frame: (run) => void frames.push(run),
    later: (run) => void frames.push(run),
    onOverflow: () => {},
  })
  const streams: { url: string; write: (text: string) => void; end: () => void }[] = []
  const asked: Ask[] = []
  const answers: Answer[] = []
  let signedOut = 0
  const live = createLive({
    reader: ada,
    cache,
    ask: async (ask) => {
      asked.push(ask)
      return answers.shift() ?? { ok: false, signedOut: false, retryAfterMs: null }
    },
    fetch: async (url) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const writer = writable.getWriter()
      streams.push({
        url: String(url),
        write: (text) => void writer.write(new TextEncoder().encode(text)).catch(ignoreCut),
        end: () => void writer.close().catch(ignoreCut),
      })
      return new Response(readable)
    },
    timers,
    now: () => now,
    random: () => 0.5,
    onCounts: () => {},
    onSignedOut: () => {
      signedOut += 1
    },
    onTopics: () => {},
  })
  /** Lets everything that is ready happen, and paints. */
  const settle = async () => {
    for (let round = 0; round < 5; round++) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      for (const frame of frames.splice(0)) frame()
    }
  }
  const pass = async (ms: number) => {
    now += ms
    for (const alarm of [...alarms]) {
      if (alarm.at > now) continue
      alarms.delete(alarm)
      alarm.run()
    }
    await settle()
  }
  const send = async (event: string, body: unknown, id?: string) => {
    streams.at(-1)!.write(`${id ? `id: ${id}\n` : ''}event: ${event}\ndata: ${JSON.stringify(body)}\n\n`)
    await settle()
  }
  const shown = () =>
    queryClient.getQueryData<FeedData>(KEY)!.pages.flatMap((page) => page.items.map((item) => item.id))
  const page = (items: FeedItem[], heads: Record<string, number>, part: Partial<FeedPage> = {}): FeedPage => ({
    items,
    nextCursor: null,
    heads,
    liveCursor: 'epoch1.5-0',
    followsVersion: 1,
    ...part,
  })
  const first = page([anItem({ id: 5 })], { 1: 5 })
  queryClient.setQueryData<FeedData>(KEY, { pages: [first], pageParams: [FIRST_PAGE] })
  // Somebody looks at it.
  const observer = new QueryObserver(queryClient, {
    queryKey: KEY,
    queryFn: () => null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  observer.subscribe(() => {})
  const state = () => connectionOf(live.state().ladder, now).state
  return {
    live,
    cache,
    streams,
    asked,
    answers,
    pages,
    page,
    first,
    settle,
    pass,
    send,
    shown,
    state,
    queryClient,
    signedOut: () => signedOut,
  }
}

let run: ReturnType<typeof setUp>
beforeEach(async () => {
  run = setUp()
  run.live.start(run.first, { online: true, hidden: false })
  await run.settle()
})

describe('live', () => {
  it('[LIVE-2] opens where the page was taken and shows what comes, each once', async () => {
    expect(run.streams[0]?.url).toBe('/api/events/activities?follows=1&cursor=epoch1.5-0')
    await run.send('beat', { position: null, beatAgeMs: 10 })
    expect(run.state()).toBe('live')
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    expect(run.shown()).toEqual([6, 5])
  })

  it('[LIVE-13] fills a hole from the last place it is sure of', async () => {
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    run.answers.push({
      ok: true,
      page: run.page([anItem({ id: 8 }), anItem({ id: 7 })], { 1: 8 }, { liveCursor: 'epoch1.8-0' }),
    })
    await run.send('activity', at(anItem({ id: 8 })), 'epoch1.8-0')
    expect(run.asked).toEqual([{ since: 'epoch1.6-0' }])
    expect(run.shown()).toEqual([8, 7, 6, 5])
    expect(run.live.state().holes).toBe(1)
  })

  it('[LIVE-2] after a reset it starts from a fresh page and loses nothing that came meanwhile', async () => {
    run.answers.push({ ok: true, page: run.page([], { 1: 20 }) })
    run.pages.push(run.page([anItem({ id: 20 })], { 1: 20 }, { nextCursor: 'more' }))
    const stream = run.streams.at(-1)!
    stream.write(
      `event: control\ndata: ${JSON.stringify({ type: 'reset', liveCursor: 'epoch2.1-0', reason: 'new-epoch' })}\n\n`,
    )
    stream.write(`id: epoch2.2-0\nevent: activity\ndata: ${JSON.stringify(at(anItem({ id: 21 })))}\n\n`)
    await run.settle()
    expect(run.shown()).toEqual([21, 20])
  })

  it('[LIVE-2] a fresh page that cannot be had after a reset is asked for again, with longer waits', async () => {
    const whole: Answer = { ok: true, page: run.page([], { 1: 20 }) }
    const { syncedAt } = run.live.state()
    // First no answer at all, then one whose lists cannot be fetched.
    await run.send('control', { type: 'reset', liveCursor: 'epoch2.1-0', reason: 'new-epoch' })
    run.answers.push(whole)
    await run.pass(3_000)
    expect(run.asked.length).toBe(2)
    expect(run.shown()).toEqual([5])
    expect(run.live.state().syncedAt).toBe(syncedAt)
    run.answers.push(whole)
    run.pages.push(run.page([anItem({ id: 20 })], { 1: 20 }, { nextCursor: 'more' }))
    await run.pass(3_000)
    expect(run.asked.length).toBe(2)
    await run.pass(3_000)
    expect(run.shown()).toEqual([20])
    expect(run.live.state().syncedAt).not.toBe(syncedAt)
    await run.pass(60_000)
    expect(run.asked.slice(3).filter((ask) => 'newest' in ask)).toEqual([])
  })

  it('[LIVE-10] without a stream it polls from its position, and goes on from there when the stream is back', async () => {
    for (let count = 0; count < 3; count++) {
      run.streams.at(-1)!.end()
      await run.settle()
      run.answers.push({ ok: true, page: run.page([], { 1: 5 }) }, { ok: true, page: run.page([], { 1: 5 }) })
      await run.pass(5_000)
    }
    expect(run.state()).toBe('polling')
    run.answers.length = 0
    run.answers.push({ ok: true, page: run.page([anItem({ id: 6 })], { 1: 6 }, { liveCursor: 'epoch1.9-0' }) })
    run.asked.length = 0
    await run.pass(12_000)
    expect(run.asked).toEqual([{ since: 'epoch1.5-0' }])
    expect(run.shown()).toEqual([6, 5])
    run.live.tryNow()
    await run.settle()
    expect(run.streams.at(-1)?.url).toContain('cursor=epoch1.9-0')
  })

  it('[LIVE-5] a withdrawn topic leaves the screen with the control event', async () => {
    await run.send('control', { type: 'follows', version: 2, topics: [2] })
    expect(run.shown()).toEqual([])
  })

  it('[FEED-13] marks made on another device arrive', async () => {
    await run.send('read', { version: 2, marks: [{ topic: 1, from: 1, to: 5, read: true }] })
    expect(run.queryClient.getQueryData<FeedData>(KEY)!.pages[0]!.items[0]!.read).toBe(true)
  })

  it('[LIVE-13] a silent connection is given up and opened again from the same place', async () => {
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    await run.pass(45_000)
    await run.pass(2_000)
    expect(run.streams.length).toBe(2)
    expect(run.streams[1]?.url).toContain('cursor=epoch1.6-0')
  })

  it('[LIVE-5] a poll that finds the session over ends everything', async () => {
    run.streams.at(-1)!.end()
    await run.settle()
    run.answers.push({ ok: false, signedOut: true, retryAfterMs: null })
    await run.pass(10_000)
    expect(run.signedOut()).toBe(1)
    expect(run.state()).toBe('signed-out')
  })

  it('[FEED-15] one’s own post is let in at once, and what was held with it', async () => {
    run.cache.read(KEY, () => true)
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    expect(run.shown()).toEqual([5])
    run.cache.offer([anItem({ id: 7 })], true)
    await run.settle()
    expect(run.shown()).toEqual([7, 6, 5])
    await run.send('activity', at(anItem({ id: 7 })), 'epoch1.7-0')
    await run.send('activity', at(anItem({ id: 8 })), 'epoch1.8-0')
    expect(run.shown()).toEqual([7, 6, 5])
    run.cache.release(KEY)
    expect(run.shown()).toEqual([8, 7, 6, 5])
  })

  it('[FEED-13] while somebody reads, arrivals are held, and come when they are let in', async () => {
    run.cache.read(KEY, () => true)
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    expect(run.shown()).toEqual([5])
    run.cache.release(KEY)
    expect(run.shown()).toEqual([6, 5])
  })
})
