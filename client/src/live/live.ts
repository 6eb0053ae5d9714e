// The live client of one signed-in page: performs what the ladder decides, turns what arrives into signals, and hands
// events on to the feed cache in order. Owns the stream, the poll and the alarm; decides nothing about either.
import type { Random } from '#shared/clock.ts'
import type { FeedItem, FeedPage } from '#shared/feed.ts'
import type {
  ActivityEvent,
  BeatEvent,
  ControlEvent,
  LogEvent,
  ReadEvent,
  UnreadCounts,
  UpdateEvent,
} from '#shared/live-events.ts'
import { openEventStream, type StreamEvent, type Timers } from './event-stream.ts'
import type { FeedCache } from './feed-cache.ts'
import { dropTopics, EMPTY_INBOX, type Inbox, receive, seedInbox } from './inbox.ts'
import { type Ladder, type LadderSignal, NEW_LADDER, nextAlarm, stepLadder } from './ladder.ts'
import type { RungSignal } from './rung.ts'
import type { Reader } from './unread.ts'

/** Waits between attempts to start over from a fresh page, with jitter. */
const START_OVER_MS = 4_000
const START_OVER_MAX_MS = 60_000

export type Ask = { since: string } | { newest: true }
/** What a question to the server came to. */
export type Answer = { ok: true; page: FeedPage } | { ok: false; signedOut: boolean; retryAfterMs: number | null }

export type LiveDeps = {
  reader: Reader
  cache: FeedCache
  ask: (ask: Ask) => Promise<Answer>
  fetch: typeof fetch
  timers: Timers
  now: () => number
  random: Random
  onCounts: (counts: UnreadCounts) => void
  onSignedOut: () => void
  /** Topics, members or what is followed changed. */
  onTopics: () => void
}

type Unstamped<T> = T extends { now: number; roll: number } ? Omit<T, 'now' | 'roll'> : never
type Signal = Unstamped<LadderSignal>

export type LiveState = { ladder: Ladder; holes: number; syncedAt: number | null }
export type Live = ReturnType<typeof createLive>

export function createLive(deps: LiveDeps) {
  const { cache, now, random, timers } = deps
  const listeners = new Set<() => void>()
  let state: LiveState = { ladder: NEW_LADDER, holes: 0, syncedAt: null }
  let inbox: Inbox = EMPTY_INBOX
  let seeded = false
  let followsVersion = 0
  let stream: ReturnType<typeof openEventStream> | null = null
  let alarm: unknown
  let retry: unknown
  let misses = 0
  let mending: Promise<boolean> | null = null
  let stopped = false

  function set(part: Partial<LiveState>) {
    state = { ...state, ...part }
    for (const listener of listeners) listener()
  }

  function send(signal: Signal) {
    if (stopped) return
    const { ladder, effects } = stepLadder(state.ladder, { ...signal, now: now(), roll: random() } as LadderSignal)
    if (ladder !== state.ladder) set({ ladder })
    for (const effect of effects) {
      if (effect.do === 'open') open()
      else if (effect.do === 'close') close()
      else void poll()
    }
    timers.clear(alarm)
    const at = nextAlarm(state.ladder, now())
    if (at !== null) alarm = timers.set(() => send({ type: 'alarm' }), Math.max(0, at - now()))
  }
  const rung = (signal: RungSignal) => send({ type: 'rung', name: 'server', signal })

  function close() {
    stream?.close()
    stream = null
  }

  function open() {
    close()
    const query = new URLSearchParams({ follows: String(followsVersion) })
    if (inbox.position !== null) query.set('cursor', inbox.position)
    stream = openEventStream({
      url: `/api/events/activities?${query}`,
      lastEventId: inbox.position,
      fetch: deps.fetch,
      timers,
      now,
      onOpen: () => {
        rung({ type: 'opened', now: now() })
        if (!seeded) void renew()
      },
      onEvent: hear,
      onEnd: (trouble, retryAfterMs) => {
        if (trouble === 'signed-out') signedOut()
        // A position that the server does not know: the next try starts from a fresh page.
        else if (trouble.kind === 'status' && trouble.status === 400) {
          seeded = false
          inbox = { ...inbox, position: null }
          rung({ type: 'broken', now: now(), roll: random(), trouble, retryAfterMs })
        } else rung({ type: 'broken', now: now(), roll: random(), trouble, retryAfterMs })
      },
    })
  }

  function signedOut() {
    send({ type: 'signed-out' })
    deps.onSignedOut()
  }

  function hear({ event, id, data }: StreamEvent) {
    const body: unknown = JSON.parse(data)
    if (event === 'beat') {
      rung({ type: 'heard', now: now(), beatAgeMs: (body as BeatEvent).beatAgeMs })
      take([], id ?? null)
      return
    }
    rung({ type: 'heard', now: now(), beatAgeMs: null })
    if (event === 'activity') take([{ kind: 'activity', event: body as ActivityEvent }], id ?? null)
    else if (event === 'update') take([{ kind: 'update', event: body as UpdateEvent }], id ?? null)
    else if (event === 'read') cache.mark((body as ReadEvent).marks)
    else if (event === 'unread') deps.onCounts(body as UnreadCounts)
    else if (event === 'control') control(body as ControlEvent)
  }

  function control(event: ControlEvent) {
    if (event.type === 'drain') {
      const trouble = { kind: 'restarting' } as const
      rung({ type: 'broken', now: now(), roll: random(), trouble, retryAfterMs: event.reconnectInMs })
    } else if (event.type === 'follows') {
      follow(new Set(event.topics), event.version)
    } else {
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

  /** Events in order; a hole is filled at once. */
  function take(events: LogEvent[], position: string | null): boolean {
    const received = receive(inbox, events, position)
    inbox = received.inbox
    show(received.apply)
    if (inbox.holes !== state.holes) set({ holes: inbox.holes })
    if (received.refetch) void mend()
    return !received.refetch
  }

  function show(events: readonly LogEvent[]) {
    const items: FeedItem[] = []
    let topicsChanged = false
    for (const log of events) {
      if (log.kind === 'update') topicsChanged = true
      else {
        const { activity } = log.event
        const own = activity.actor.kind === 'person' && activity.actor.id === deps.reader.id
        items.push({ ...activity, read: own })
      }
    }
    if (items.length > 0) cache.offer(items)
    if (topicsChanged) deps.onTopics()
  }

  function takePage(page: FeedPage): boolean {
    if (page.reset) return false
    const activities = page.items.map(
      ({ read: _, ...activity }): LogEvent => ({
        kind: 'activity',
        event: { topic: activity.topic.id, seq: activity.seq, activity },
      }),
    )
    const updates = (page.updates ?? []).map((event): LogEvent => ({ kind: 'update', event }))
    const events = [...activities, ...updates].sort((a, b) => a.event.seq - b.event.seq)
    const received = receive(inbox, events, page.liveCursor)
    inbox = received.inbox
    show(received.apply)
    if (page.followsVersion !== followsVersion)
      follow(new Set(Object.keys(page.heads).map(Number)), page.followsVersion)
    return !received.refetch
  }

  /** Fetches what is missing; starts over from a fresh page when that is not enough. */
  function mend(): Promise<boolean> {
    mending ??= (async () => {
      if (inbox.position !== null) {
        const answer = await deps.ask({ since: inbox.position })
        if (answer.ok && takePage(answer.page)) return true
        if (!answer.ok) return failed(answer)
      }
      return startOver()
    })().finally(() => {
      mending = null
    })
    return mending
  }

  async function startOver(): Promise<boolean> {
    const answer = await deps.ask({ newest: true })
    if (!answer.ok) {
      startOverLater()
      return failed(answer)
    }
    const { page } = answer
    // The stream's own place is older than the page; what lies between comes twice and is recognised.
    const { waiting } = inbox
    inbox = seedInbox(page.heads, inbox.position ?? page.liveCursor, inbox.holes)
    seeded = true
    // They may be newer than the page.
    const received = receive(inbox, waiting, null)
    inbox = received.inbox
    show(received.apply)
    followsVersion = page.followsVersion
    cache.follow(new Set(Object.keys(page.heads).map(Number)))
    try {
      await cache.renew()
    } catch {
      // The lists on screen still end before the gap.
      startOverLater()
      return false
    }
    misses = 0
    set({ syncedAt: now() })
    return true
  }

  /** Nothing else would notice that a gap was left: the stream goes on behind it. */
  function startOverLater() {
    seeded = false
    timers.clear(retry)
    const waitMs = Math.min(START_OVER_MS * 2 ** misses, START_OVER_MAX_MS) * (0.5 + random() / 2)
    misses += 1
    retry = timers.set(() => {
      // Without a network or a session there is no use in it; the next stream that opens asks anew.
      if (!seeded && state.ladder.rest === null) void renew()
    }, waitMs)
  }

  function failed(answer: Extract<Answer, { ok: false }>): false {
    if (answer.signedOut) signedOut()
    return false
  }

  async function renew(): Promise<boolean> {
    await mending
    mending = startOver().finally(() => {
      mending = null
    })
    return mending
  }

  async function poll() {
    if (!seeded) {
      const found = await startOver()
      return found ? send({ type: 'polled', found: 0 }) : send({ type: 'poll-failed', retryAfterMs: null })
    }
    if (inbox.position === null) return send({ type: 'poll-failed', retryAfterMs: null })
    const answer = await deps.ask({ since: inbox.position })
    if (!answer.ok) {
      failed(answer)
      return send({ type: 'poll-failed', retryAfterMs: answer.retryAfterMs })
    }
    const before = cache.recentList().length
    if (takePage(answer.page) || (await renew())) set({ syncedAt: now() })
    send({ type: 'polled', found: Math.max(0, cache.recentList().length - before) })
  }

  return {
    /** `page`: the newest page, when it could be had; it says where the stream has to start. */
    start(page: FeedPage | null, at: { online: boolean; hidden: boolean }) {
      if (page) {
        inbox = seedInbox(page.heads, page.liveCursor)
        seeded = true
        followsVersion = page.followsVersion
        cache.follow(new Set(Object.keys(page.heads).map(Number)))
        set({ syncedAt: now() })
      }
      send({ type: 'start', ...at })
    },
    stop() {
      stopped = true
      timers.clear(alarm)
      timers.clear(retry)
      close()
    },
    online: (online: boolean) => send({ type: online ? 'online' : 'offline' }),
    visible(shown: boolean) {
      send({ type: shown ? 'shown' : 'hidden' })
      // Timers sleep in hidden tabs; the watchdog may have slept with them.
      if (shown && stream?.isSilent())
        rung({ type: 'broken', now: now(), roll: random(), trouble: { kind: 'silent' }, retryAfterMs: null })
    },
    /** Back from the browser's page cache, which cuts connections without saying so. */
    thawed: () => rung({ type: 'cut', now: now() }),
    tryNow: () => send({ type: 'try-now' }),
    renew,
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
