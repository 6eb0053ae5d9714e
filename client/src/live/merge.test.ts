import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FeedItem } from '#shared/feed.ts'
import type { LogEvent } from '#shared/live-events.ts'
import { NO_TALK } from '#shared/talk.ts'
import { type Inbox, receive, seedInbox } from './inbox.ts'
import {
  applyMarks,
  applyNews,
  belongs,
  type FeedData,
  FIRST_PAGE,
  insert,
  joinSnapshot,
  nextPageParam,
  type PageParam,
  purge,
  release,
} from './merge.ts'
import { createTalkMemory } from './talk-memory.ts'
import { anItem, ImaginedServer } from './testing.ts'

const LIMIT = 3
const ids = (data: FeedData) => data.pages.flatMap((page) => page.items.map((item) => item.id))
const dataOf = (items: FeedItem[], nextCursor: string | null = null): FeedData => ({
  pages: [{ items, nextCursor, heads: {}, liveCursor: null, followsVersion: 1 }],
  pageParams: [FIRST_PAGE],
})

/** A browser that does with the pure parts what the runner does with them. */
class Reader {
  data: FeedData
  inbox: Inbox
  hold = false
  private readonly server: ImaginedServer
  private recent: FeedItem[] = []
  private readonly talks = createTalkMemory('p-ada')
  private loading: { param: PageParam; page: ReturnType<ImaginedServer['page']> } | null = null
  /** Place in the log up to which the connection has sent. */
  private sent: number

  constructor(server: ImaginedServer) {
    this.server = server
    const page = server.page(null, LIMIT)
    this.data = { pages: [page], pageParams: [FIRST_PAGE] }
    this.inbox = seedInbox(page.heads, page.liveCursor)
    this.sent = Number(page.liveCursor)
  }

  private take(events: LogEvent[], position: string) {
    const received = receive(this.inbox, events, position)
    this.inbox = received.inbox
    this.show(received.apply)
    if (!received.refetch) return
    const caughtUp = receive(this.inbox, this.server.after(this.inbox.position!), this.server.position)
    this.inbox = caughtUp.inbox
    this.show(caughtUp.apply)
    if (caughtUp.refetch) this.reload()
  }

  private show(events: LogEvent[]) {
    const items = events.flatMap((log) =>
      log.kind === 'activity' ? [{ ...log.event.activity, read: false, talk: NO_TALK }] : [],
    )
    for (const { event } of events) if ('change' in event && event.change.kind === 'talk') this.talks.hear(event.change)
    this.recent.push(...items)
    this.data = applyNews(insert(this.data, items, this.hold), this.talks.bring)
  }

  private reload() {
    const page = this.server.page(null, LIMIT)
    this.loading = null
    this.data = {
      pages: [joinSnapshot(page, FIRST_PAGE, { items: this.recent, marks: [], bring: this.talks.bring })],
      pageParams: [FIRST_PAGE],
    }
    this.inbox = seedInbox(page.heads, page.liveCursor)
  }

  hear() {
    const log = this.server.log[this.sent]
    if (!log) return
    this.sent += 1
    this.take([log], String(this.sent))
  }

  hearAgain(back: number) {
    const at = Math.max(0, this.sent - back)
    const log = this.server.log[at]
    if (log && at < this.sent) this.take([log], this.inbox.position!)
  }

  /** Several at once and in the wrong order, as when two ways of being live overlap. */
  hearShuffled(count: number) {
    const events = this.server.log.slice(this.sent, this.sent + count).reverse()
    this.sent += events.length
    if (events.length > 0) this.take(events, String(this.sent))
  }

  loseOne() {
    if (this.server.log[this.sent]) this.sent += 1
  }

  reconnect() {
    this.sent = Number(this.inbox.position)
  }

  askOlder() {
    const param = nextPageParam(this.data.pages.at(-1)!, this.data.pageParams.at(-1)!)
    if (param && !this.loading) this.loading = { param, page: this.server.page(param.cursor, LIMIT) }
  }

  getOlder() {
    if (!this.loading) return
    const { param, page } = this.loading
    this.loading = null
    const joined = joinSnapshot(page, param, { items: this.recent, marks: [], bring: this.talks.bring })
    this.data = { pages: [...this.data.pages, joined], pageParams: [...this.data.pageParams, param] }
  }

  finish() {
    for (const topic of [1, 2, 3]) this.server.publish(topic, 0)
    while (this.sent < this.server.log.length) this.hear()
    this.getOlder()
    for (;;) {
      this.askOlder()
      if (!this.loading) break
      this.getOlder()
    }
    this.data = release(this.data)
  }
}

const topic = fc.integer({ min: 1, max: 3 })
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('publish' as const), topic, early: fc.nat({ max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('update' as const), topic }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('react' as const),
      pick: fc.nat({ max: 40 }),
      person: fc.constantFrom('p-ada', 'p-ben'),
      emoji: fc.constantFrom('👍', '🎉', null),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('hear' as const) }) },
  fc.record({ do: fc.constant('hear-again' as const), back: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant('hear-shuffled' as const), count: fc.integer({ min: 2, max: 5 }) }),
  fc.record({ do: fc.constant('lose' as const) }),
  fc.record({ do: fc.constant('reconnect' as const) }),
  fc.record({ do: fc.constant('ask-older' as const) }),
  fc.record({ do: fc.constant('get-older' as const) }),
  fc.record({ do: fc.constant('hold' as const), on: fc.boolean() }),
)

describe('merge', () => {
  it('[LIVE-13] [FEED-3] any interleaving of pages and events, repeated, shuffled or lost, shows all that was published, in order, once, with the latest of what was said', () => {
    fc.assert(
      fc.property(fc.nat({ max: 12 }), fc.array(action, { maxLength: 80 }), (history, actions) => {
        const server = new ImaginedServer()
        for (let count = 0; count < history; count++) server.publish((count % 3) + 1, 0)
        const reader = new Reader(server)
        for (const step of actions) {
          if (step.do === 'publish') server.publish(step.topic, step.early)
          else if (step.do === 'update') server.update(step.topic)
          else if (step.do === 'react') server.react(step.pick, step.person, step.emoji)
          else if (step.do === 'hear') reader.hear()
          else if (step.do === 'hear-again') reader.hearAgain(step.back)
          else if (step.do === 'hear-shuffled') reader.hearShuffled(step.count)
          else if (step.do === 'lose') reader.loseOne()
          else if (step.do === 'reconnect') reader.reconnect()
          else if (step.do === 'ask-older') reader.askOlder()
          else if (step.do === 'get-older') reader.getOlder()
          else {
            reader.hold = step.on
            if (!step.on) reader.data = release(reader.data)
          }
        }
        reader.finish()
        expect(ids(reader.data)).toEqual(server.activities().map((item) => item.id))
        const said = ({ talk: { own, ...counts } }: FeedItem) => ({ ...counts, own: own.emoji })
        expect(reader.data.pages.flatMap(({ items }) => items.map(said))).toEqual(server.activities().map(said))
      }),
      { numRuns: 500 },
    )
  })

  it('[FEED-13] while someone reads, arrivals wait and the rows on screen stay the same ones', () => {
    const before = dataOf([anItem({ id: 20 }), anItem({ id: 10 })])
    const held = insert(before, [anItem({ id: 30 }), anItem({ id: 25 }), anItem({ id: 30 })], true)
    expect(held.pages[0]!.items).toBe(before.pages[0]!.items)
    expect(held.pages[0]!.held?.map((item) => item.id)).toEqual([30, 25])
    expect(ids(release(held))).toEqual([30, 25, 20, 10])
    expect(release(held).pages[0]!.held).toBeUndefined()
  })

  it('[FEED-20] an arrival copies one page of many and leaves the others alone', () => {
    let data = dataOf([])
    for (let id = 1; id <= 1_000; id++) data = insert(data, [anItem({ id })], false)
    expect(data.pages.length).toBe(10)
    expect(data.pageParams.length).toBe(10)
    const next = insert(data, [anItem({ id: 2_000 })], false)
    expect(next.pages.slice(2)).toEqual(data.pages.slice(1))
    expect(next.pages[2]).toBe(data.pages[1])
    expect(ids(next)).toEqual([2_000, ...Array.from({ length: 1_000 }, (_, index) => 1_000 - index)])
  })

  it('[FEED-13] an item older than all that is loaded is left to its page', () => {
    expect(ids(insert(dataOf([anItem({ id: 20 })], 'more'), [anItem({ id: 5 })], false))).toEqual([20])
    expect(ids(insert(dataOf([anItem({ id: 20 })]), [anItem({ id: 5 })], false))).toEqual([20, 5])
    expect(ids(insert(dataOf([], 'more'), [anItem({ id: 5 })], false))).toEqual([5])
  })

  it('[FEED-13] marks made elsewhere apply by number, the last one wins, untouched pages are the same objects', () => {
    const data = dataOf([anItem({ id: 9, no: 3 }), anItem({ id: 8, no: 2 }), anItem({ id: 7, topicId: 2, no: 2 })])
    const marks = [
      { topic: 1, from: 1, to: 3, read: true },
      { topic: 1, from: 3, to: 3, read: false },
    ]
    expect(applyMarks(data, marks).pages[0]!.items.map((item) => item.read)).toEqual([false, true, false])
    expect(applyMarks(data, [{ topic: 4, from: 1, to: 9, read: true }])).toBe(data)
  })

  it('[FEED-2] a withdrawn topic leaves the screen at once, also from what is held', () => {
    const data = insert(
      dataOf([anItem({ id: 9 }), anItem({ id: 8, topicId: 2 })]),
      [anItem({ id: 10, topicId: 2 })],
      true,
    )
    const left = purge(data, (item) => item.topic.id !== 2)
    expect(ids(left)).toEqual([9])
    expect(left.pages[0]!.held).toEqual([])
  })

  it('[LIVE-13] a snapshot that is older than what we heard keeps what we heard', () => {
    const page = {
      items: [anItem({ id: 10, seq: 1 })],
      nextCursor: 'x',
      heads: { 1: 1 },
      liveCursor: null,
      followsVersion: 1,
    }
    const recent = {
      items: [anItem({ id: 12, seq: 2 }), anItem({ id: 4, seq: 3 })],
      marks: [{ topic: 1, from: 10, to: 10, read: true }],
      bring: (item: FeedItem) => item,
    }
    const joined = joinSnapshot(page, FIRST_PAGE, recent)
    expect(joined.items.map((item) => [item.id, item.read])).toEqual([
      [12, false],
      [10, true],
    ])
  })

  it('[FEED-13] what belongs to a screen', () => {
    const item = anItem({ id: 1, mentions: ['ada'], verb: 'pushed' })
    expect(belongs({ filter: 'all' }, item, 'ada', new Set([1]))).toBe(true)
    expect(belongs({ filter: 'all' }, item, 'ada', new Set([2]))).toBe(false)
    expect(belongs({ filter: 'all', topic: 'project/t1' }, item, 'ada', new Set([2]))).toBe(true)
    expect(belongs({ filter: 'all', topic: 'project/t2' }, item, 'ada', null)).toBe(false)
    expect(belongs({ filter: 'mentions' }, item, 'ada', null)).toBe(true)
    expect(belongs({ filter: 'mentions' }, item, 'ken', null)).toBe(false)
    expect(belongs({ filter: 'unread' }, { ...item, read: true }, 'ada', null)).toBe(false)
    expect(belongs({ filter: 'all', verb: 'merged' }, item, 'ada', null)).toBe(false)
  })
})
