// A small server of the imagination for tests of the live client: topics with unbroken numbers, ids that do not always
// follow the order of commit, snapshots, and a log whose positions are places in the order of commit.
import { type ActivityChange, applyChange } from '#shared/activity-change.ts'
import type { FeedItem, FeedPage } from '#shared/feed.ts'
import type { LogEvent } from '#shared/live-events.ts'
import { applyTalk, NO_TALK, recount, type Talk, type TalkChange } from '#shared/talk.ts'
import type { Timers } from './event-stream.ts'

export function anItem(part: Partial<FeedItem> & { id: number; topicId?: number }): FeedItem {
  const { topicId = 1, ...rest } = part
  return {
    topic: { id: topicId, name: `project/t${topicId}`, visibility: 'public' },
    seq: part.id,
    no: part.id,
    actor: { kind: 'person', id: 'p-grace', handle: 'grace', name: 'Grace' },
    verb: 'posted',
    object: null,
    target: null,
    summary: `Text ${part.id}`,
    metadata: {},
    groupKey: null,
    mentions: [],
    publishedAt: '2026-11-18T10:00:00.000Z',
    occurredAt: null,
    source: 'web',
    edited: null,
    read: false,
    talk: NO_TALK,
    ...rest,
  }
}

export class ImaginedServer {
  /** Whose own reactions the pages show. */
  readonly reader = 'p-ada'
  readonly log: LogEvent[] = []
  /** Every followed topic has a head, also before its first event. */
  private readonly seqs = new Map([1, 2, 3].map((topicId) => [topicId, 0]))
  private readonly nos = new Map<number, number>()
  private readonly ids = new Set<number>()
  private readonly changes = new Map<number, ActivityChange>()
  private readonly talks = new Map<number, { talk: Talk; reactions: Map<string, string> }>()

  /** `early`: how many ids this one was given before its neighbours, as when its transaction took longer. */
  publish(topicId: number, early: number) {
    let id = (this.log.length + 1) * 10 - early
    while (this.ids.has(id)) id++
    this.ids.add(id)
    const seq = this.next(this.seqs, topicId)
    const no = this.next(this.nos, topicId)
    const { read: _, talk: __, ...activity } = anItem({ id, topicId, seq, no })
    this.log.push({ kind: 'activity', event: { topic: topicId, seq, activity } })
  }

  update(topicId: number) {
    const seq = this.next(this.seqs, topicId)
    const change = { kind: 'settings', description: '', visibility: 'public', posting: 'everyone' } as const
    this.log.push({ kind: 'update', event: { topic: topicId, seq, change } })
  }

  /** Somebody reacts, to whichever activity `pick` points at. */
  react(pick: number, person: string, emoji: string | null) {
    const activities = this.log.flatMap((entry) => (entry.kind === 'activity' ? [entry.event.activity] : []))
    const activity = activities[pick % activities.length]
    if (!activity) return
    const { talk, reactions } = this.talks.get(activity.id) ?? { talk: NO_TALK, reactions: new Map<string, string>() }
    const counts = recount(talk.reactions, reactions.get(person) ?? null, emoji)
    if (emoji === null) reactions.delete(person)
    else reactions.set(person, emoji)
    const change: TalkChange = {
      kind: 'talk',
      ...{ activity: activity.id, version: talk.version + 1, reactions: counts, comments: pick },
      ...{ reacted: { person, emoji }, comment: null, concerns: [] },
    }
    this.talks.set(activity.id, { talk: applyTalk(talk, change, this.reader), reactions })
    const topic = activity.topic.id
    this.log.push({ kind: 'update', event: { topic, seq: this.next(this.seqs, topic), change } })
  }

  /** Somebody edits or deletes whichever activity `pick` points at. */
  change(pick: number, gone: boolean) {
    const living = this.log.flatMap((entry) =>
      entry.kind === 'activity' && this.changes.get(entry.event.activity.id)?.words !== null
        ? [entry.event.activity]
        : [],
    )
    const activity = living[pick % living.length]
    if (!activity) return
    const { id, no, topic } = activity
    const version = (this.changes.get(id)?.version ?? 0) + 1
    const words = { summary: `Words ${version}`, mentions: [], edited: { version, at: '', by: null } }
    const change: ActivityChange = {
      ...{ kind: 'activity', activity: id, no, version },
      ...(gone ? { words: null, gone: 'author', rang: [] } : { words, gone: null }),
    }
    this.changes.set(id, change)
    this.log.push({ kind: 'update', event: { topic: topic.id, seq: this.next(this.seqs, topic.id), change } })
  }

  /** As the server answers about rows that somebody has had for a while. */
  renewals(ids: readonly number[]) {
    const found = new Map(this.activities().map((item) => [item.id, item]))
    return ids.flatMap((id) => {
      const item = found.get(id)
      if (!item) return []
      const { summary, mentions, edited, talk } = item
      return [{ id, talk, words: edited && { summary, mentions, edited } }]
    })
  }

  get position() {
    return String(this.log.length)
  }

  after(position: string): LogEvent[] {
    return this.log.slice(Number(position))
  }

  activities(): FeedItem[] {
    const items = this.log.flatMap((entry): FeedItem[] => {
      if (entry.kind !== 'activity') return []
      const item = { ...entry.event.activity, read: false, talk: this.talkOf(entry.event.activity.id) }
      const change = this.changes.get(item.id)
      return change ? [applyChange(item, change)].filter((one) => one !== null) : [item]
    })
    return items.sort((a, b) => b.id - a.id)
  }

  page(cursor: string | null, limit: number): FeedPage {
    const below = cursor === null ? Number.POSITIVE_INFINITY : Number(cursor)
    const all = this.activities().filter((item) => item.id < below)
    const items = all.slice(0, limit)
    return {
      items,
      nextCursor: all.length > limit ? String(items.at(-1)!.id) : null,
      heads: Object.fromEntries(this.seqs),
      liveCursor: this.position,
      followsVersion: 1,
    }
  }

  private talkOf(id: number): Talk {
    const talk = this.talks.get(id)?.talk ?? NO_TALK
    // A page tells of one's own reaction as of the version that everything else has.
    return { ...talk, own: { ...talk.own, version: talk.version } }
  }

  private next(numbers: Map<number, number>, topicId: number): number {
    const number = (numbers.get(topicId) ?? 0) + 1
    numbers.set(topicId, number)
    return number
  }
}

/** Lets everything that is ready happen. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A clock with timers that only the test moves. */
export function handClock(start = 1_000_000) {
  let now = start
  const alarms = new Set<{ at: number; run: () => void }>()
  const timers: Timers = {
    set: (run, ms) => {
      const alarm = { at: now + ms, run }
      alarms.add(alarm)
      return alarm
    },
    clear: (alarm) => void alarms.delete(alarm as { at: number; run: () => void }),
  }
  /** In steps, so that what a timer starts can set the next one. */
  async function pass(ms: number) {
    const end = now + ms
    for (;;) {
      await settled()
      const next = [...alarms].sort((a, b) => a.at - b.at)[0]
      if (!next || next.at > end) break
      alarms.delete(next)
      now = Math.max(now, next.at)
      next.run()
    }
    now = end
    await settled()
  }
  /** Time goes by, and no timer rings. */
  const sleep = (ms: number) => {
    now += ms
  }
  return { now: () => now, timers, pass, sleep }
}
