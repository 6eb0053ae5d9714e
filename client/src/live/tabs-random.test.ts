// Tabs of one browser through everything that can happen to them, in random order: whatever it was, in the end every tab
// shows what was published, each item once, and one of them holds the only connection.

import { describe, expect, it } from 'vitest'
import { type Random, seededRandom } from '#shared/clock.ts'
import type { LogEvent } from '#shared/live-events.ts'
import { NO_TALK } from '#shared/talk.ts'
import type { Ask } from './receiver.ts'
import { handClock, ImaginedServer } from './testing.ts'
import { type FakeTab, fakeBrowser } from './testing-browser.ts'
import { openTestTab, type Stream, type TestServer, type TestTab } from './testing-tab.ts'

const place = (n: number) => `epoch1.${n}-0`
const numberOf = (position: string) => Number(/\.(\d+)-/.exec(position)?.[1])
const frame = (event: string, id: number, body: unknown) =>
  `id: ${place(id)}\nevent: ${event}\ndata: ${JSON.stringify(body)}\n\n`
const logFrame = (log: LogEvent, index: number) => frame(log.kind, index + 1, log.event)

/** The imagined server behind real questions. One process answers questions, another one streams: either may lag. */
class Service implements TestServer {
  readonly data = new ImaginedServer()
  readonly streams = new Set<Stream>()
  streamsUp = true
  answersUp = true
  /** So many of the newest events are not known yet to the process that answers. */
  lag = 0

  ask = (ask: Ask) => {
    if (!this.answersUp) return { ok: false, signedOut: false, retryAfterMs: null } as const
    if ('newest' in ask) return { ok: true, page: this.newest() } as const
    const { log } = this.data
    const known = Math.max(numberOf(ask.since), log.length - this.lag)
    const events = log.slice(numberOf(ask.since), known)
    const items = events.flatMap((one) =>
      one.kind === 'activity' ? [{ ...one.event.activity, read: false, talk: NO_TALK }] : [],
    )
    const updates = events.flatMap((one) => (one.kind === 'update' ? [one.event] : []))
    return { ok: true, page: { ...this.newest(), items: items.reverse(), updates, liveCursor: place(known) } } as const
  }
  newest = () => {
    const page = this.data.page(null, 10_000)
    return { ...page, liveCursor: place(Math.max(0, this.data.log.length - this.lag)) }
  }
  renewals = (ids: readonly number[]) => this.data.renewals(ids)
  connect = (url: string, stream: Stream) => {
    if (!this.streamsUp) return false
    this.streams.add(stream)
    const after = numberOf(new URL(url, 'http://feed').searchParams.get('cursor') ?? '')
    for (const [index, log] of this.data.log.entries()) if (index >= after) stream.write(logFrame(log, index))
    this.beat(stream)
    return true
  }
  publish(random: Random) {
    const topic = 1 + Math.floor(random() * 3)
    const what = random()
    if (what < 0.1) this.data.update(topic)
    else if (what < 0.3) this.data.change(Math.floor(random() * 1_000), what < 0.2)
    else this.data.publish(topic, Math.floor(random() * 30))
    const index = this.data.log.length - 1
    if (index < 0) return
    for (const stream of this.streams) stream.write(logFrame(this.data.log[index]!, index))
  }
  beat(stream: Stream) {
    const id = this.data.log.length
    stream.write(frame('beat', id, { position: place(id), beatAgeMs: 0 }))
  }
  beatAll() {
    for (const stream of this.streams) this.beat(stream)
  }
  cut(stream: Stream) {
    this.streams.delete(stream)
    stream.end()
  }
}

const SEEDS = 15
const ROUNDS = 12
const STEPS = 25

type Opened = TestTab & { tab: FakeTab }

async function live(seed: number) {
  const random = seededRandom(seed)
  const clock = handClock()
  const browser = fakeBrowser()
  const service = new Service()
  let tabs: Opened[] = []
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]
  const settle = async () => {
    for (const tab of tabs) await tab.settle()
  }
  const pass = async (ms: number) => {
    await clock.pass(ms)
    await settle()
  }
  const open = () => {
    const tab = browser.openTab()
    const opened = { ...openTestTab({ platform: tab.platform, clock, server: service }), tab }
    opened.start()
    tabs.push(opened)
  }
  /** The browser closes the connections of a tab with it. */
  const drop = (tab: Opened) => {
    for (const stream of tab.streams) service.cut(stream)
    tabs = tabs.filter((other) => other !== tab)
  }

  const happenings: ((tab: Opened) => void)[] = [
    ...Array.from({ length: 8 }, () => () => service.publish(random)),
    () => {
      const stream = pick([...service.streams])
      if (stream) service.cut(stream)
    },
    () => {
      service.streamsUp = !service.streamsUp
      if (!service.streamsUp) for (const stream of service.streams) service.cut(stream)
    },
    () => {
      service.answersUp = !service.answersUp
    },
    () => {
      service.lag = service.lag > 0 ? 0 : Math.floor(random() * 4)
    },
    () => service.beatAll(),
    () => tabs.length < 5 && open(),
    (tab) => {
      if (tabs.length < 3) return
      tab.live.stop()
      drop(tab)
    },
    (tab) => {
      if (tabs.length < 3) return
      tab.tab.crash()
      tab.live.stop()
      drop(tab)
    },
    (tab) => tab.live.frozen(),
    (tab) => tab.live.thawed(),
    (tab) => tab.tab.freeze(),
    (tab) => tab.tab.wake(),
    (tab) => tab.tab.deaf(random() < 0.5),
    (tab) => tab.live.visible(random() < 0.5),
  ]

  /** Everything works again, for longer than the longest rest of a breaker. */
  async function heal() {
    Object.assign(service, { streamsUp: true, answersUp: true, lag: 0 })
    for (const tab of tabs) {
      tab.tab.wake()
      tab.tab.deaf(false)
      tab.live.visible(true)
      tab.live.thawed()
    }
    for (let beats = 0; beats < 70; beats++) {
      await pass(15_000)
      service.beatAll()
    }
    await settle()
  }
  function check() {
    const published = service.data.activities()
    for (const tab of tabs) {
      expect(tab.shown()).toEqual(published.map((item) => item.id))
      expect(tab.words()).toEqual(published.map((item) => item.summary))
      expect(tab.state()).toBe('live')
    }
    expect(tabs.flatMap((tab) => tab.streams).filter((stream) => stream.open).length).toBe(1)
    expect(tabs.flatMap((tab) => tab.losses).filter((loss) => loss.repeats)).toEqual([])
  }

  open()
  open()
  await settle()
  for (let round = 0; round < ROUNDS; round++) {
    for (let step = 0; step < STEPS; step++) {
      pick(happenings)!(pick(tabs)!)
      await pass(random() < 0.5 ? 0 : Math.floor(random() * 12_000))
    }
    await heal()
    // A quiet end: what was missed would not be noticed by what comes after it.
    check()
  }
}

describe('tabs, at random', () => {
  for (let seed = 1; seed <= SEEDS; seed++)
    it(
      `[LIVE-12] [LIVE-11] [LIVE-13] nothing is lost or shown twice, whatever happens (seed ${seed})`,
      () => live(seed),
      30_000,
    )
})
