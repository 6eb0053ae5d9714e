import { beforeEach, describe, expect, it } from 'vitest'
import type { FeedData } from './merge.ts'
import type { Answer } from './receiver.ts'
import { anItem } from './testing.ts'
import { at, KEY, openTestTab, type TestTab } from './testing-tab.ts'

let run: TestTab
beforeEach(async () => {
  run = openTestTab()
  run.start()
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
    await run.pass(6_000)
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

  /** Three failures: the breaker rests, and the first polls have been asked. */
  const loseTheStream = async () => {
    for (let count = 0; count < 3; count++) {
      run.answers.push(nothing, nothing)
      run.streams.at(-1)!.end()
      await run.pass(3_000)
    }
    run.answers.length = 0
    run.asked.length = 0
    expect(run.state()).toBe('polling')
  }
  const nothing: Answer = { ok: true, page: null }

  it('[LIVE-10] polls carry the tag of the last answer that was taken whole', async () => {
    await loseTheStream()
    const cursor = { liveCursor: 'epoch1.6-0' }
    run.answers.push(
      { ok: true, page: run.page([anItem({ id: 6 })], { 1: 6 }, cursor), tag: '"one"' },
      nothing,
      nothing,
    )
    await run.pass(18_000)
    expect(run.asked).toEqual([
      { since: 'epoch1.5-0' },
      { since: 'epoch1.6-0', tag: '"one"' },
      { since: 'epoch1.6-0', tag: '"one"' },
    ])
    expect(run.shown()).toEqual([6, 5])
  })

  it('[LIVE-10] an answer with a hole is not one to build a tag on', async () => {
    await loseTheStream()
    run.answers.push({ ok: true, page: run.page([anItem({ id: 8 })], { 1: 8 }), tag: '"torn"' })
    await run.pass(12_000)
    expect(run.asked.slice(0, 2)).toEqual([{ since: 'epoch1.5-0' }, { newest: true }])
    expect(run.asked.some((ask) => 'tag' in ask)).toBe(false)
  })

  it('[READ-7] counts that come with a poll are passed on', async () => {
    await loseTheStream()
    const unread = { total: 1, mentions: 0, topics: { 1: 1 }, heads: { 1: 5 }, deletions: {}, version: 4 }
    run.answers.push({ ok: true, page: run.page([], { 1: 5 }, { unread }) })
    await run.pass(7_000)
    expect(run.counts).toEqual([unread])
  })

  it('[LIVE-11] back on the stream one more question closes the seam, then polling is over', async () => {
    await loseTheStream()
    run.answers.push(nothing)
    await run.pass(6_000)
    run.asked.length = 0
    run.live.tryNow()
    await run.settle()
    expect(run.asked).toEqual([])
    run.answers.push({
      ok: true,
      page: run.page([anItem({ id: 6 })], { 1: 6 }, { liveCursor: 'epoch1.6-0' }),
    })
    await run.send('beat', { position: null, beatAgeMs: 10 })
    expect(run.asked).toEqual([{ since: 'epoch1.5-0' }])
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    await run.send('activity', at(anItem({ id: 7 })), 'epoch1.7-0')
    expect(run.shown()).toEqual([7, 6, 5])
    await run.pass(30_000)
    expect(run.asked.length).toBe(1)
    expect(run.losses).toEqual([{ breakerOpened: 1 }])
  })

  it('[LIVE-9] refused with Retry-After it comes back at that time, however often, and polls meanwhile', async () => {
    const slot = () => new Response('', { status: 503, headers: { 'retry-after': '20' } })
    run.refusals.push(slot(), slot(), slot(), slot())
    run.streams.at(-1)!.end()
    const opened = run.streams.length
    for (let refusal = 0; refusal < 4; refusal++) {
      run.answers.push(nothing, nothing, nothing, nothing)
      await run.pass(20_000)
      expect(run.state()).toBe('polling')
    }
    expect(run.asked.length).toBeGreaterThan(8)
    await run.pass(2_000)
    expect(run.streams.length).toBe(opened + 1)
    expect(run.losses).toEqual([])
  })

  it('[LIVE-6] a server that is about to stop names the moment to come back', async () => {
    await run.send('control', { type: 'drain', reconnectInMs: 4_000 })
    await run.pass(3_999)
    expect(run.streams.length).toBe(1)
    await run.pass(1)
    expect(run.streams.length).toBe(2)
    expect(run.losses).toEqual([])
  })

  it('[LIVE-18] holes and what one connection tells twice are counted, expected repeats are not', async () => {
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    expect(run.losses).toEqual([{ repeats: 1 }])
    const filled = [anItem({ id: 8 }), anItem({ id: 7 })]
    run.answers.push({ ok: true, page: run.page(filled, { 1: 8 }, { liveCursor: 'epoch1.8-0' }) })
    await run.send('activity', at(anItem({ id: 8 })), 'epoch1.8-0')
    expect(run.losses).toEqual([{ repeats: 1 }, { gaps: 1 }])
    run.streams.at(-1)!.end()
    await run.pass(1_000)
    // The page above was ahead of this connection.
    await run.send('activity', at(anItem({ id: 9 })), 'epoch1.9-0')
    expect(run.losses.length).toBe(2)
  })

  it('[LIVE-13] asleep in the page cache it holds no connection; awake it goes on from its place', async () => {
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    run.live.frozen()
    expect(run.streams[0]!.open).toBe(false)
    await run.pass(600_000)
    expect(run.streams.length).toBe(1)
    run.live.thawed()
    run.live.thawed()
    await run.settle()
    expect(run.streams.length).toBe(2)
    expect(run.streams[1]!.url).toContain('cursor=epoch1.6-0')
    await run.send('beat', { position: null, beatAgeMs: 10 })
    expect(run.state()).toBe('live')
  })

  it('[LIVE-13] the end of the network is said at once, and its return tried at once', async () => {
    await run.send('beat', { position: null, beatAgeMs: 10 })
    run.live.online(false)
    expect(run.state()).toBe('offline')
    expect(run.streams[0]!.open).toBe(false)
    await run.pass(60_000)
    run.live.online(true)
    await run.settle()
    expect(run.streams.length).toBe(2)
  })

  it('[LIVE-13] a tab that is looked at again does not trust a connection that was silent while its timers slept', async () => {
    await run.send('activity', at(anItem({ id: 6 })), 'epoch1.6-0')
    run.live.visible(false)
    run.sleep(100_000)
    run.live.visible(true)
    expect(run.streams[0]!.open).toBe(false)
    await run.pass(2_000)
    expect(run.streams[1]!.url).toContain('cursor=epoch1.6-0')
  })
})
