// What every tab does with what it hears, whoever holds the connection: puts events in order, hands them to the feed
// cache, fills holes, and starts over from a fresh page when that is not enough. Knows nothing of transports.
import type { Random } from '#shared/clock.ts'
import type { FeedItem, FeedPage } from '#shared/feed.ts'
import type { ControlEvent, LogEvent, UnreadCounts } from '#shared/live-events.ts'
import { NO_TALK, type TalkChange } from '#shared/talk.ts'
import type { Timers } from './event-stream.ts'
import type { FeedCache, HeardChange } from './feed-cache.ts'
import { dropTopics, EMPTY_INBOX, type Inbox, receive, seedInbox } from './inbox.ts'
import type { LiveEvent } from './live-event.ts'
import type { Reader } from './unread.ts'

/** Waits between attempts to start over from a fresh page, with jitter. */
const START_OVER_MS = 4_000
const START_OVER_MAX_MS = 60_000

/** `tag`: the state at the last answer; "nothing new" is then a possible answer, given as a page of null. */
export type Ask = { since: string; tag?: string } | { newest: true }
export type Refused = { ok: false; signedOut: boolean; retryAfterMs: number | null }
export type Answer = { ok: true; page: FeedPage | null; tag?: string | null } | Refused
export type Outcome = { ok: true } | Refused

const FINE: Outcome = { ok: true }

type Deps = {
  reader: Reader
  cache: FeedCache
  ask: (ask: Ask) => Promise<Answer>
  timers: Timers
  now: () => number
  random: Random
  /** Without a network or a session there is no use in asking. */
  mayAsk: () => boolean
  onCounts: (counts: UnreadCounts) => void
  /** Read marks with this version have been applied. */
  onMarks: (version: number) => void
  onTopics: () => void
  /** Something behind the bell was seen elsewhere. */
  onBell: () => void
  onHole: () => void
  /** Holes or the time of the last full answer changed. */
  onChange: () => void
}

export type Receiver = ReturnType<typeof createReceiver>

export function createReceiver(deps: Deps) {
  const { cache, now, random, timers } = deps
  let inbox: Inbox = EMPTY_INBOX
  let seeded = false
  let syncedAt: number | null = null
  let followsVersion = 0
  let retry: unknown
  let misses = 0
  /** More was missed than events can mend; how often that happened. */
  let startsOver = false
  let losses = 0
  let mending: Promise<Outcome> | null = null

  function lose() {
    startsOver = true
    losses += 1
    cache.lossBegins()
  }

  function synced() {
    syncedAt = now()
    deps.onChange()
  }

  function put(events: readonly LogEvent[], position: string | null): boolean {
    const { holes } = inbox
    const received = receive(inbox, events, position)
    inbox = received.inbox
    // Before anything is shown that may lie above what is missing.
    if (inbox.waiting.length > 0) cache.lossBegins()
    show(received.apply)
    if (inbox.waiting.length === 0 && !startsOver) cache.lossEnds()
    if (inbox.holes !== holes) {
      deps.onHole()
      deps.onChange()
    }
    return !received.refetch
  }

  function show(events: readonly LogEvent[]) {
    const items: FeedItem[] = []
    const talks: { topic: number; change: TalkChange }[] = []
    const changes: HeardChange[] = []
    let topicsChanged = false
    for (const log of events) {
      if (log.kind === 'update' && log.event.change.kind === 'talk') {
        const { topic, change } = log.event
        talks.push({ topic, change })
      } else if (log.kind === 'update' && log.event.change.kind === 'activity') {
        const { topic, seq, change } = log.event
        changes.push({ topic, seq, change })
      } else if (log.kind === 'update') topicsChanged = true
      else {
        const { activity } = log.event
        const own = activity.actor.kind === 'person' && activity.actor.id === deps.reader.id
        items.push({ ...activity, read: own, talk: NO_TALK })
      }
    }
    if (items.length > 0) cache.offer(items)
    if (talks.length > 0) cache.talk(talks)
    if (changes.length > 0) cache.change(changes)
    if (topicsChanged) deps.onTopics()
  }

  /** `move`: whether everything up to its position is known here once it is applied. */
  function hear(event: LiveEvent, move: boolean) {
    const position = move ? event.id : null
    if (event.name === 'beat') put([], position)
    else if (event.name === 'activity') take({ kind: 'activity', event: event.body }, position)
    else if (event.name === 'update') take({ kind: 'update', event: event.body }, position)
    else if (event.name === 'unread') deps.onCounts(event.body)
    else if (event.name === 'bell') deps.onBell()
    else if (event.name === 'control') control(event.body)
    else {
      cache.mark(event.body.marks)
      deps.onMarks(event.body.version)
    }
  }

  function take(log: LogEvent, position: string | null) {
    if (!put([log], position)) void mend()
  }

  function control(event: ControlEvent) {
    if (event.type === 'follows') follow(new Set(event.topics), event.version)
    else if (event.type === 'reset') {
      lose()
      inbox = { ...inbox, position: event.liveCursor, waiting: [] }
      void renew()
    }
  }

  function follow(topics: ReadonlySet<number>, version: number) {
    if (seeded && version < followsVersion) return
    followsVersion = version
    const before = cache.follows()
    const added = [...topics].some((topic) => !before?.has(topic))
    inbox = dropTopics(inbox, topics)
    cache.follow(topics)
    if (before !== null) deps.onTopics()
    // What the topic held before it was followed comes only by a page.
    if (before !== null && added) void renew()
  }

  /** An answer to `since`; false when something is still missing after it. */
  function takePage(page: FeedPage, move: boolean): boolean {
    if (page.unread) deps.onCounts(page.unread)
    if (page.reset) return false
    const activities = page.items.map(
      ({ read: _, talk: __, ...activity }): LogEvent => ({
        kind: 'activity',
        event: { topic: activity.topic.id, seq: activity.seq, activity },
      }),
    )
    const updates = (page.updates ?? []).map((event): LogEvent => ({ kind: 'update', event }))
    const events = [...activities, ...updates].sort((a, b) => a.event.seq - b.event.seq)
    const whole = put(events, move ? page.liveCursor : null)
    if (page.followsVersion !== followsVersion)
      follow(new Set(Object.keys(page.heads).map(Number)), page.followsVersion)
    return whole
  }

  /** Fetches what is missing after our position; starts over from a fresh page when that is not enough. */
  function mend(): Promise<Outcome> {
    mending ??= (async () => {
      if (!seeded || inbox.position === null) return startOver()
      const answer = await deps.ask({ since: inbox.position })
      if (!answer.ok) return answer
      if (answer.page && !takePage(answer.page, true)) return startOver()
      return FINE
    })().finally(() => {
      mending = null
    })
    return mending
  }

  async function renew(): Promise<Outcome> {
    // Somebody else who waited may have gone first.
    while (mending) await mending
    mending = startOver().finally(() => {
      mending = null
    })
    return mending
  }

  async function startOver(): Promise<Outcome> {
    if (!startsOver) lose()
    const begun = losses
    const answer = await deps.ask({ newest: true })
    if (!answer.ok || !answer.page) {
      startOverLater()
      return answer.ok ? { ok: false, signedOut: false, retryAfterMs: null } : answer
    }
    const { page } = answer
    const { waiting } = inbox
    // What a stream tells between its own place and the page's comes twice and is recognised.
    inbox = seedInbox(page.heads, page.liveCursor ?? inbox.position, inbox.holes)
    seeded = true
    // They may be newer than the page.
    put(waiting, null)
    followsVersion = page.followsVersion
    cache.follow(new Set(Object.keys(page.heads).map(Number)))
    try {
      await cache.renew()
    } catch {
      // The lists on screen still end before the gap.
      startOverLater()
      return { ok: false, signedOut: false, retryAfterMs: null }
    }
    misses = 0
    // Unless more was lost while we asked: then another start is on its way.
    if (losses === begun) {
      startsOver = false
      if (inbox.waiting.length === 0) cache.lossEnds()
    }
    synced()
    return FINE
  }

  /** Nothing else would notice that a gap was left: the stream goes on behind it. */
  function startOverLater() {
    seeded = false
    timers.clear(retry)
    const waitMs = Math.min(START_OVER_MS * 2 ** misses, START_OVER_MAX_MS) * (0.5 + random() / 2)
    misses += 1
    retry = timers.set(() => {
      if (!seeded && deps.mayAsk()) void renew()
    }, waitMs)
  }

  return {
    /** The newest page says where everything after it has to start. */
    start(page: FeedPage) {
      inbox = seedInbox(page.heads, page.liveCursor)
      seeded = true
      followsVersion = page.followsVersion
      cache.follow(new Set(Object.keys(page.heads).map(Number)))
      synced()
    },
    stop: () => timers.clear(retry),
    hear,
    takePage,
    mend,
    renew,
    synced,
    /** A position that the server does not know: the next try starts from a fresh page. */
    forgetPosition() {
      lose()
      seeded = false
      inbox = { ...inbox, position: null }
    },
    isSeeded: () => seeded,
    position: () => inbox.position,
    followsVersion: () => followsVersion,
    holes: () => inbox.holes,
    syncedAt: () => syncedAt,
  }
}
