// Runs the follower: performs what it decides, brings back what a catch-up came to, and owns its two timers.
import type { Random } from '#shared/clock.ts'
import type { UnreadCounts } from '#shared/live-events.ts'
import type { Timers } from './event-stream.ts'
import {
  type Follower,
  type FollowerEffect,
  type FollowerSignal,
  ladderSeen,
  newFollower,
  stepFollower,
} from './follower.ts'
import type { Ladder } from './ladder.ts'
import type { Receiver } from './receiver.ts'
import { isLeaderMessage, type TabMessage } from './tab-messages.ts'

const CATCH_UP_AGAIN_MS = 500
const CATCH_UP_MAX_MS = 30_000

type Deps = {
  receiver: Receiver
  post: (message: TabMessage) => void
  steal: () => void
  timers: Timers
  now: () => number
  random: Random
  isHidden: () => boolean
  onCounts: (counts: UnreadCounts) => void
  onChange: () => void
}

export function createListener(deps: Deps) {
  const { receiver, timers, now, random } = deps
  let follower: Follower = newFollower(0, 0)
  let active = false
  let wonder: unknown
  let again: unknown
  let catching = false
  let misses = 0

  function advance(signal: FollowerSignal) {
    if (!active) return
    const step = stepFollower(follower, signal)
    follower = step.follower
    for (const effect of step.effects) perform(effect)
    wonderLater()
    deps.onChange()
  }

  function perform(effect: FollowerEffect) {
    switch (effect.do) {
      case 'hello':
        return deps.post({ from: 'tab', type: 'hello' })
      case 'steal':
        return deps.steal()
      case 'counts':
        return deps.onCounts(effect.counts)
      case 'catch-up':
        return void catchUp()
      case 'event':
        return receiver.hear(effect.event, effect.move)
      case 'page':
        if (!receiver.takePage(effect.page, effect.move)) void receiver.mend()
    }
  }

  async function catchUp() {
    timers.clear(again)
    if (catching) return
    catching = true
    const outcome = await receiver.mend()
    catching = false
    if (!active) return
    if (outcome.ok) advance({ type: 'caught-up', position: receiver.position() })
    if (follower.place.is !== 'catching') {
      misses = 0
      return
    }
    const backOffMs = Math.min(CATCH_UP_AGAIN_MS * 2 ** misses, CATCH_UP_MAX_MS)
    misses += 1
    const waitMs = (outcome.ok ? null : outcome.retryAfterMs) ?? backOffMs
    again = timers.set(() => void catchUp(), waitMs * (1 + random() / 2))
  }

  function wonderLater() {
    timers.clear(wonder)
    const waitMs = Math.max(0, follower.deadline - now())
    if (active) wonder = timers.set(() => advance({ type: 'alarm', now: now(), roll: random() }), waitMs)
  }

  return {
    /** `left`: what this tab knew as a leader, in case it is called again before it hears from the new one. */
    begin(left: Follower['shared']) {
      active = true
      follower = { ...newFollower(now(), random()), shared: left }
      deps.post({ from: 'tab', type: 'hello' })
      wonderLater()
      deps.onChange()
    },
    end() {
      active = false
      misses = 0
      timers.clear(wonder)
      timers.clear(again)
    },
    hear(message: TabMessage) {
      if (isLeaderMessage(message))
        advance({ type: 'message', message, position: receiver.position(), hidden: deps.isHidden(), now: now() })
      else if (message.type === 'bye') advance({ type: 'bye', now: now(), roll: random() })
    },
    shown: () => advance({ type: 'shown', now: now() }),
    /** There may be a network again. */
    retry() {
      if (!active) return
      if (follower.place.is === 'catching') void catchUp()
      else if (!receiver.isSeeded()) void receiver.renew()
    },
    term: () => follower.term,
    shared: () => follower.shared,
    /** What this tab may say about its connection, and since when it has everything. */
    seen: (): { ladder: Ladder; syncedAt: number | null } => ({
      ladder: ladderSeen(follower),
      syncedAt: follower.place.is === 'joined' ? (follower.shared?.syncedAt ?? null) : null,
    }),
  }
}
