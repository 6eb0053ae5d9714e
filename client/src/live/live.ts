// The live client of one signed-in page. All tabs of a person in one browser share one connection: in the leading tab the
// transport hears and the teller tells, in the others the listener hears what was told; either way it goes to this tab's
// own receiver. This file only connects those parts.
import type { Random } from '#shared/clock.ts'
import type { FeedPage } from '#shared/feed.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import type { Timers } from './event-stream.ts'
import type { FeedCache } from './feed-cache.ts'
import { inheritLadder, type Ladder, NEW_LADDER, type RungName } from './ladder.ts'
import type { Losses } from './ledger.ts'
import { createListener } from './listener.ts'
import type { LiveEvent } from './live-event.ts'
import { createPoller } from './poller.ts'
import { type Answer, type Ask, createReceiver } from './receiver.ts'
import { type StreamWatch, watchEvent, watchFrom } from './stream-watch.ts'
import type { TabMessage } from './tab-messages.ts'
import { createTabs, type TabsPlatform } from './tabs.ts'
import { createTeller } from './teller.ts'
import { createTransport, type EdgeDeps } from './transport.ts'
import type { Reader } from './unread.ts'

export type LiveDeps = {
  reader: Reader
  cache: FeedCache
  ask: (ask: Ask) => Promise<Answer>
  fetch: typeof fetch
  /** Null: this installation has no edge. */
  edge: EdgeDeps | null
  /** Null where tabs cannot know of each other. */
  tabs: TabsPlatform | null
  timers: Timers
  now: () => number
  random: Random
  onCounts: (counts: UnreadCounts) => void
  /** Read marks with this version have been applied. */
  onMarks: (version: number) => void
  onSignedOut: () => void
  /** Topics, members or what is followed changed. */
  onTopics: () => void
  /** Something behind the bell was seen elsewhere. */
  onBell: () => void
  /** Something went wrong that should not have. */
  onLoss: (part: Partial<Losses>) => void
  /** Whether this tab is the one that holds the connection, and counts losses. */
  onRole: (leads: boolean) => void
}

export type LiveState = { ladder: Ladder; holes: number; syncedAt: number | null }
export type Live = ReturnType<typeof createLive>

export function createLive(deps: LiveDeps) {
  const { cache, now, random, timers } = deps
  const listeners = new Set<() => void>()
  let state: LiveState = { ladder: NEW_LADDER, holes: 0, syncedAt: null }
  let role: 'none' | 'leader' | 'follower' = 'none'
  let here = { online: true, hidden: false }
  let life: 'new' | 'started' | 'stopped' = 'new'
  let counts: UnreadCounts | null = null
  /** Two ways tell the same while one takes over from the other: each is watched by itself. */
  const watches: Record<RungName, StreamWatch> = { edge: watchFrom(null), server: watchFrom(null) }

  const onCounts = (heard: UnreadCounts) => {
    counts = heard
    deps.onCounts(heard)
  }
  const receiver = createReceiver({
    ...deps,
    ask,
    onCounts,
    mayAsk: () => role !== 'none' && here.online,
    // One hole is seen by all tabs, and counted by one.
    onHole: () => role === 'leader' && deps.onLoss({ gaps: 1 }),
    onChange: show,
  })
  const tabs = createTabs(deps.tabs, `signal-feed:live:${deps.reader.id}`, {
    onLead: lead,
    onFollow: follow,
    onMessage,
  })
  const teller = createTeller({
    post: tabs.post,
    now,
    state: () => ({ ladder: transport.ladder(), syncedAt: receiver.syncedAt(), counts }),
  })
  const transport = createTransport({
    ...deps,
    place: () => ({ position: receiver.position(), followsVersion: receiver.followsVersion() }),
    poll: createPoller({ receiver, cache, ask, onPage: teller.page }),
    onLadder: () => {
      show()
      teller.moved()
    },
    onOpened(rung, after) {
      watches[rung] = watchFrom(after)
      if (rung === 'server') teller.opened(after)
      if (!receiver.isSeeded()) void receiver.renew()
    },
    onEvent,
    onBadPosition: receiver.forgetPosition,
    onBreakerOpened: () => deps.onLoss({ breakerOpened: 1 }),
    onSignedOut: signedOut,
  })
  const listener = createListener({
    ...{ receiver, timers, now, random, onCounts },
    post: tabs.post,
    steal: tabs.steal,
    isHidden: () => here.hidden,
    onChange: () => {
      show()
      if (role === 'follower' && state.ladder.rest?.why === 'signed-out') signedOut()
    },
  })

  async function ask(question: Ask): Promise<Answer> {
    const answer = await deps.ask(question)
    if (!answer.ok && answer.signedOut) signedOut()
    return answer
  }

  function show() {
    const seen = role === 'follower' ? listener.seen() : { ladder: transport.ladder(), syncedAt: null }
    const times = [receiver.syncedAt(), seen.syncedAt].filter((time) => time !== null)
    const syncedAt = times.length === 0 ? null : Math.max(...times)
    state = { ladder: role === 'none' ? state.ladder : seen.ladder, holes: receiver.holes(), syncedAt }
    for (const tellListener of listeners) tellListener()
  }

  function onEvent(rung: RungName, event: LiveEvent) {
    const watched = watchEvent(watches[rung], event)
    watches[rung] = watched.watch
    if (watched.repeats > 0) deps.onLoss({ repeats: watched.repeats })
    teller.event(event)
    receiver.hear(event, true)
  }

  function lead() {
    const left = listener.shared()?.ladder
    listener.end()
    role = 'leader'
    deps.onRole(true)
    teller.begin(Math.max(now(), listener.term() + 1), receiver.position())
    transport.start(left ? inheritLadder(left, now(), random()) : NEW_LADDER, here)
  }

  function follow() {
    const left = role === 'leader' ? { ladder: transport.ladder(), syncedAt: receiver.syncedAt() } : null
    transport.stop()
    if (role === 'leader') deps.onRole(false)
    role = 'follower'
    listener.begin(left)
  }

  function onMessage(message: TabMessage) {
    if (role === 'follower') listener.hear(message)
    else if (role === 'none' || message.from === 'leader') return
    else if (message.type === 'hello') teller.answer()
    else transport.tryNow()
  }

  function leave() {
    if (role === 'leader') {
      teller.end()
      deps.onRole(false)
    }
    role = 'none'
    transport.stop()
    listener.end()
    tabs.leave()
  }

  function signedOut() {
    if (role === 'none') return
    transport.signOut()
    leave()
    state = { ...state, ladder: { ...state.ladder, rest: { why: 'signed-out' } } }
    show()
    deps.onSignedOut()
  }

  return {
    /** `page`: the newest page, when it could be had; it says where the stream has to start. */
    start(page: FeedPage | null, at: { online: boolean; hidden: boolean }) {
      here = at
      life = 'started'
      if (page) receiver.start(page)
      tabs.join()
    },
    stop() {
      life = 'stopped'
      receiver.stop()
      leave()
    },
    online(online: boolean) {
      here = { ...here, online }
      if (role === 'leader') transport.online(online)
      else if (online) listener.retry()
    },
    visible(shown: boolean) {
      here = { ...here, hidden: !shown }
      if (role === 'leader') transport.visible(shown)
      else if (shown) listener.shown()
    },
    /** The browser is about to let this page sleep, or ends it: another tab takes over. */
    frozen: leave,
    /** Awake again. */
    thawed() {
      if (life === 'started' && role === 'none' && state.ladder.rest?.why !== 'signed-out') tabs.join()
    },
    tryNow() {
      if (role === 'leader') transport.tryNow()
      else tabs.post({ from: 'tab', type: 'try-now' })
    },
    renew: receiver.renew,
    state: () => state,
    subscribe(onChange: () => void) {
      listeners.add(onChange)
      return () => void listeners.delete(onChange)
    },
  }
}
