import { expect, it } from 'vitest'
import type { FeedItem } from '#shared/feed.ts'
import { anItem } from '../live/testing.ts'
import { createReadOnView, type Sight, VIEW_MS } from './read-on-view.ts'

function setUp() {
  let now = 0
  let shown = true
  let planned: { run: () => void; at: number } | null = null
  let tell: (sights: readonly Sight[]) => void = () => {}
  const observed = new Set<Element>()
  const read: number[][] = []
  const view = createReadOnView({
    observer: (onSight) => {
      tell = onSight
      return {
        observe: (element) => void observed.add(element),
        unobserve: (element) => void observed.delete(element),
        disconnect: () => observed.clear(),
      }
    },
    onRead: (items) => read.push(items.map((item) => item.id)),
    isShown: () => shown,
    now: () => now,
    timers: {
      set: (run, ms) => {
        planned = { run, at: now + ms }
        return planned
      },
      clear: (timer) => {
        if (timer === planned) planned = null
      },
    },
  })
  // Rows are only told apart, never looked into.
  const row = (id: number) => ({ id }) as unknown as Element
  return {
    view,
    read,
    observed,
    row,
    see: (target: Element, intersectionRatio: number, height = 60) =>
      tell([{ target, intersectionRatio, intersectionRect: { height }, rootBounds: { height: 800 } }]),
    show: (next: boolean) => {
      shown = next
      view.shown()
    },
    pass: (ms: number) => {
      now += ms
      const due = planned
      if (due && due.at <= now) {
        planned = null
        due.run()
      }
    },
  }
}

const unread = (id: number): FeedItem => anItem({ id })

it('[FEED-13] what was half visible for a second is read, together with what else was', () => {
  const { view, read, row, see, pass } = setUp()
  const [a, b, c] = [row(1), row(2), row(3)]
  for (const [index, element] of [a, b, c].entries()) view.watch(element, unread(index + 1))
  see(a, 1)
  see(b, 0.5)
  see(c, 0.4)
  pass(VIEW_MS - 1)
  expect(read).toEqual([])
  pass(1)
  expect(read).toEqual([[1, 2]])
})

it('[FEED-13] what leaves the screen before is not read; a row taller than the screen is', () => {
  const { view, read, row, see, pass } = setUp()
  const [a, b] = [row(1), row(2)]
  view.watch(a, unread(1))
  view.watch(b, unread(2))
  see(a, 1)
  see(b, 0.2, 500)
  pass(VIEW_MS / 2)
  see(a, 0)
  pass(VIEW_MS)
  expect(read).toEqual([[2]])
})

it('[FEED-13] a hidden page reads nothing, and the second starts over when it is shown', () => {
  const { view, read, row, see, pass, show } = setUp()
  const a = row(1)
  view.watch(a, unread(1))
  see(a, 1)
  pass(VIEW_MS - 1)
  show(false)
  pass(VIEW_MS * 10)
  expect(read).toEqual([])
  show(true)
  pass(VIEW_MS - 1)
  expect(read).toEqual([])
  pass(1)
  expect(read).toEqual([[1]])
})

it('[FEED-13] whoever marks a row unread again keeps it so, also one that was read before it was shown', () => {
  const { view, read, observed, row, see, pass } = setUp()
  const [a, b] = [row(1), row(2)]
  view.watch(a, unread(1))
  see(a, 1)
  pass(VIEW_MS)
  view.watch(b, { ...unread(2), read: true })
  view.watch(a, unread(1))
  view.watch(b, unread(2))
  expect(observed.size).toBe(0)
  expect(read).toEqual([[1]])
})

it('[FEED-13] a row that is no longer drawn is forgotten', () => {
  const { view, read, observed, row, see, pass } = setUp()
  const a = row(1)
  const end = view.watch(a, unread(1))
  see(a, 1)
  end()
  pass(VIEW_MS)
  expect(read).toEqual([])
  expect(observed.size).toBe(0)
})
