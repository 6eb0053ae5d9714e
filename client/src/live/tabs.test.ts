import { beforeEach, describe, expect, it } from 'vitest'
import { anItem, handClock } from './testing.ts'
import { type FakeTab, fakeBrowser } from './testing-browser.ts'
import { at, openTestTab, pageOf, type TestTab } from './testing-tab.ts'

type Opened = TestTab & { tab: FakeTab }

let clock: ReturnType<typeof handClock>
let browser: ReturnType<typeof fakeBrowser>
let all: Opened[]

beforeEach(() => {
  clock = handClock()
  browser = fakeBrowser()
  all = []
})

/** Opens a tab that has loaded its page and joined the others. */
async function open(options: { hidden?: boolean; page?: ReturnType<typeof pageOf>; person?: string } = {}) {
  const tab = browser.openTab()
  const reader = { id: options.person ?? 'p-ada', handle: 'ada' }
  const opened = { ...openTestTab({ platform: tab.platform, clock, reader }), tab }
  all.push(opened)
  opened.live.start(options.page ?? opened.first, { online: true, hidden: options.hidden ?? false })
  await settle()
  return opened
}
const settle = async () => {
  for (let round = 0; round < 3; round++) for (const one of all) await one.settle()
}
const pass = async (ms: number) => {
  await clock.pass(ms)
  await settle()
}
const say = async (leader: Opened, event: string, body: unknown, id?: string) => {
  await leader.send(event, body, id)
  await settle()
}
const beat = (leader: Opened) => say(leader, 'beat', { position: null, beatAgeMs: 0 })
const publish = (leader: Opened, id: number) => say(leader, 'activity', at(anItem({ id })), `epoch1.${id}-0`)
const openStreams = () => all.flatMap((one) => one.streams).filter((stream) => stream.open)

describe('tabs', () => {
  it('[LIVE-12] twelve tabs have one connection, and all show what it brings and say that they are live', async () => {
    const leader = await open()
    for (let count = 1; count < 12; count++) await open()
    await beat(leader)
    await publish(leader, 6)
    await publish(leader, 7)
    expect(openStreams().length).toBe(1)
    for (const one of all) {
      expect(one.shown()).toEqual([7, 6, 5])
      expect(one.state()).toBe('live')
      // Their pages were as new as the stream, so there was nothing to catch up with.
      expect(one.asked).toEqual([])
    }
  })

  it('[LIVE-12] people who share a browser do not share a connection', async () => {
    const ada = await open()
    const ben = await open({ person: 'p-ben' })
    await publish(ada, 6)
    expect(openStreams().length).toBe(2)
    expect(ben.shown()).toEqual([5])
  })

  it('[LIVE-12] where tabs cannot know of each other each has its own connection', async () => {
    for (let count = 0; count < 2; count++) {
      const alone = { ...openTestTab({ clock }), tab: browser.openTab() }
      alone.start()
      all.push(alone)
    }
    await settle()
    expect(openStreams().length).toBe(2)
  })

  it('[LIVE-12] where a browser forbids locks a tab leads itself', async () => {
    const { platform } = browser.openTab()
    const request = (() => Promise.reject(new DOMException('no', 'SecurityError'))) as LockManager['request']
    const alone = { ...openTestTab({ platform: { ...platform, locks: { request } }, clock }), tab: browser.openTab() }
    all.push(alone)
    alone.start()
    await settle()
    await beat(alone)
    expect(openStreams().length).toBe(1)
    expect(alone.state()).toBe('live')
  })

  it('[LIVE-12] a tab whose page is older than what was told already catches up before it calls itself live', async () => {
    const leader = await open()
    await beat(leader)
    await publish(leader, 6)
    const late = await open()
    expect(late.asked).toEqual([{ since: 'epoch1.5-0' }])
    expect(late.state()).toBe('connecting')
    late.answers.push({ ok: true, page: pageOf([anItem({ id: 6 })], { 1: 6 }, { liveCursor: 'epoch1.6-0' }) })
    await pass(1_000)
    expect(late.state()).toBe('live')
    expect(late.shown()).toEqual([6, 5])
  })

  it('[LIVE-12] an answer from a server that lags behind the stream is not enough', async () => {
    const leader = await open()
    await beat(leader)
    await publish(leader, 6)
    const late = await open()
    late.answers.push({ ok: true, page: pageOf([], { 1: 5 }) })
    await pass(800)
    expect(late.state()).toBe('connecting')
    // A beat does not move a place behind which something is missing.
    await say(leader, 'beat', { position: 'epoch1.9-0', beatAgeMs: 0 }, 'epoch1.9-0')
    late.asked.length = 0
    late.answers.push({ ok: true, page: pageOf([anItem({ id: 6 })], { 1: 6 }, { liveCursor: 'epoch1.6-0' }) })
    await pass(2_000)
    expect(late.asked[0]).toEqual({ since: 'epoch1.5-0' })
    expect(late.state()).toBe('live')
    expect(late.shown()).toEqual([6, 5])
  })

  for (const [how, end] of [
    ['closed', (one: Opened) => one.live.frozen()],
    ['crashed', (one: Opened) => one.tab.crash()],
  ] as const)
    it(`[LIVE-12] a leader that is ${how} hands over at once, and the next goes on from its place`, async () => {
      const leader = await open()
      const next = await open()
      const third = await open()
      await beat(leader)
      await publish(leader, 6)
      end(leader)
      await settle()
      expect(next.streams.at(-1)?.url).toContain('cursor=epoch1.6-0')
      expect(third.streams).toEqual([])
      await beat(next)
      await publish(next, 7)
      for (const one of [next, third]) {
        expect(one.shown()).toEqual([7, 6, 5])
        expect(one.state()).toBe('live')
        expect(one.asked).toEqual([])
      }
    })

  it('[LIVE-12] a leader that sleeps with the lock is noticed, replaced, and follows when it wakes', async () => {
    const leader = await open()
    const next = await open()
    await beat(leader)
    leader.tab.freeze()
    await pass(44_000)
    expect(next.streams).toEqual([])
    await pass(5_000)
    expect(next.streams.length).toBe(1)
    await beat(next)
    await publish(next, 6)
    leader.answers.push({ ok: true, page: pageOf([anItem({ id: 6 })], { 1: 6 }, { liveCursor: 'epoch1.6-0' }) })
    leader.tab.wake()
    await pass(1_000)
    expect(openStreams()).toEqual([next.streams[0]])
    expect(leader.shown()).toEqual([6, 5])
    await publish(next, 7)
    expect(leader.shown()).toEqual([7, 6, 5])
    expect(leader.state()).toBe('live')
  })

  it('[LIVE-12] a leader that is only quiet stays: asked, it answers', async () => {
    const leader = await open()
    const other = await open()
    await beat(leader)
    leader.live.online(false)
    await settle()
    await pass(300_000)
    expect(other.streams).toEqual([])
    expect(other.state()).toBe('offline')
    expect(browser.holder()).toBe(leader.tab)
  })

  it('[LIVE-12] when the next in line sleeps, the one after it takes over soon after a goodbye', async () => {
    const leader = await open()
    const sleeper = await open()
    const third = await open()
    await beat(leader)
    sleeper.tab.freeze()
    leader.live.frozen()
    await pass(2_000)
    expect(third.streams.length).toBe(1)
  })

  it('[LIVE-12] [LIVE-10] only the leader polls, and the others get its answers', async () => {
    const leader = await open()
    const other = await open()
    await beat(leader)
    const page = pageOf([anItem({ id: 6 })], { 1: 6 }, { liveCursor: 'epoch1.6-0' })
    leader.answers.push({ ok: true, page })
    leader.refusals.push(new Response('', { status: 503, headers: { 'retry-after': '60' } }))
    leader.streams.at(-1)!.end()
    await pass(7_000)
    expect(leader.asked[0]).toEqual({ since: 'epoch1.5-0' })
    expect(other.asked).toEqual([])
    for (const one of all) {
      expect(one.shown()).toEqual([6, 5])
      expect(one.state()).toBe('polling')
    }
  })

  it('[LIVE-12] a poll that began after what a tab knows makes that tab ask for itself', async () => {
    const leader = await open({ page: pageOf([anItem({ id: 8 })], { 1: 8 }, { liveCursor: 'epoch1.8-0' }) })
    leader.refusals.push(new Response('', { status: 503, headers: { 'retry-after': '60' } }))
    leader.streams.at(-1)!.end()
    await pass(1_000)
    const late = await open()
    expect(late.asked).toEqual([{ since: 'epoch1.5-0' }])
    expect(leader.asked).toEqual([])
  })

  it('[LIVE-12] [LIVE-10] while it polls, a tab that somebody looks at takes over from one that nobody sees', async () => {
    const leader = await open()
    const other = await open({ hidden: true })
    await beat(leader)
    leader.refusals.push(new Response('', { status: 503, headers: { 'retry-after': '60' } }))
    leader.streams.at(-1)!.end()
    await pass(1_000)
    leader.live.visible(false)
    await settle()
    expect(browser.holder()).toBe(leader.tab)
    other.live.visible(true)
    await settle()
    expect(browser.holder()).toBe(other.tab)
    await pass(10_000)
    expect(other.asked.length).toBeGreaterThan(0)
    expect(leader.asked).toEqual([])
    // What was learned about the server went along: nobody knocks before the time.
    expect(other.streams).toEqual([])
    await pass(50_000)
    expect(other.streams.length).toBe(1)
  })

  it('[LIVE-12] a message that was missed is noticed by its number, and made up for', async () => {
    const leader = await open()
    const other = await open()
    await beat(leader)
    other.tab.deaf(true)
    await publish(leader, 6)
    other.tab.deaf(false)
    other.answers.push({ ok: true, page: pageOf([anItem({ id: 6 })], { 1: 6 }, { liveCursor: 'epoch1.6-0' }) })
    await say(leader, 'beat', { position: 'epoch1.6-0', beatAgeMs: 0 }, 'epoch1.6-0')
    await pass(1_000)
    expect(other.asked).toEqual([{ since: 'epoch1.5-0' }])
    expect(other.shown()).toEqual([6, 5])
    expect(other.state()).toBe('live')
  })

  it('[LIVE-12] a session that ends in the leader ends in all tabs, and the next sign-in starts anew', async () => {
    const leader = await open()
    const other = await open()
    await beat(leader)
    leader.refusals.push(new Response('', { status: 401 }))
    leader.streams.at(-1)!.end()
    await pass(2_000)
    for (const one of [leader, other]) {
      expect(one.signedOut()).toBe(1)
      expect(one.state()).toBe('signed-out')
    }
    const again = await open()
    await beat(again)
    expect(again.state()).toBe('live')
  })

  it('[LIVE-12] "try now" in any tab reaches the one that can', async () => {
    const leader = await open()
    const other = await open()
    await beat(leader)
    for (let count = 0; count < 3; count++) leader.refusals.push(new Response('', { status: 500 }))
    leader.streams.at(-1)!.end()
    await pass(10_000)
    expect(other.state()).toBe('polling')
    leader.refusals.length = 0
    other.live.tryNow()
    await settle()
    expect(leader.streams.length).toBe(2)
  })

  it('[LIVE-18] [LIVE-12] a hole is seen by all tabs and counted by one', async () => {
    const leader = await open()
    const other = await open()
    const filled = {
      ok: true,
      page: pageOf([anItem({ id: 7 }), anItem({ id: 6 })], { 1: 7 }, { liveCursor: 'epoch1.7-0' }),
    } as const
    leader.answers.push(filled)
    other.answers.push(filled)
    await publish(leader, 7)
    for (const one of all) expect(one.shown()).toEqual([7, 6, 5])
    expect(all.flatMap((one) => one.losses)).toEqual([{ gaps: 1 }])
  })
})
