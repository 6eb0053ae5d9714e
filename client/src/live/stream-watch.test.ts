import { describe, expect, it } from 'vitest'
import { covers } from './coverage.ts'
import type { LiveEvent } from './live-event.ts'
import { type StreamWatch, watchEvent, watchFrom } from './stream-watch.ts'
import { anItem } from './testing.ts'

const activity = (topicId: number, seq: number, id: string | null): LiveEvent => {
  const item = anItem({ id: seq, topicId, seq })
  return { name: 'activity', id, body: { topic: topicId, seq, activity: item } }
}

function repeatsOf(watch: StreamWatch, events: LiveEvent[]): number {
  let current = watch
  let repeats = 0
  for (const event of events) {
    const watched = watchEvent(current, event)
    current = watched.watch
    repeats += watched.repeats
  }
  return repeats
}

describe('stream watch', () => {
  it('[LIVE-18] one connection that tells an event twice is counted', () => {
    const events = [activity(1, 6, 'epoch1.6-0'), activity(2, 6, 'epoch1.7-0'), activity(1, 6, 'epoch1.6-0')]
    expect(repeatsOf(watchFrom('epoch1.5-0'), events)).toBe(1)
  })

  it('[LIVE-18] a replay that begins before the place we named is counted', () => {
    expect(repeatsOf(watchFrom('epoch1.5-0'), [activity(1, 5, 'epoch1.5-0'), activity(1, 6, 'epoch1.6-0')])).toBe(1)
  })

  it('[LIVE-18] what a page or a catch-up brought already, and the next connection, are no repeats', () => {
    // The page knew up to seq 8, and was taken at a place before it.
    expect(repeatsOf(watchFrom('epoch1.5-0'), [activity(1, 7, 'epoch1.6-0'), activity(1, 8, 'epoch1.7-0')])).toBe(0)
    expect(repeatsOf(watchFrom('epoch1.6-0'), [activity(1, 8, 'epoch1.7-0')])).toBe(0)
    expect(repeatsOf(watchFrom('epoch1.6-0'), [activity(1, 8, null)])).toBe(0)
  })
})

describe('coverage', () => {
  it('[LIVE-12] a place covers itself and those before it, in its own epoch only', () => {
    expect(covers('epoch1.5-0', 'epoch1.5-0')).toBe(true)
    expect(covers('epoch1.5-1', 'epoch1.5-0')).toBe(true)
    expect(covers('epoch1.12-0', 'epoch1.5-7')).toBe(true)
    expect(covers('epoch1.5-0', 'epoch1.5-1')).toBe(false)
    expect(covers('epoch2.9-0', 'epoch1.5-0')).toBe(false)
    expect(covers(null, 'epoch1.5-0')).toBe(false)
    expect(covers('epoch1.5-0', null)).toBe(false)
  })
})
