// What a receiver knows about the order of events: the newest (topic, seq) applied and the log position that everything
// before it is known from. Events after a hole wait here until a catch-up has filled it. Pure; the runner fetches.
import type { LogEvent } from '#shared/live-events.ts'
import { judge } from '#shared/sequence.ts'

export type Inbox = {
  last: ReadonlyMap<number, number>
  /** Where to go on from after a break. Does not move while something is missing before it. */
  position: string | null
  waiting: readonly LogEvent[]
  holes: number
}

export type Received = { inbox: Inbox; apply: LogEvent[]; refetch: boolean }

export const EMPTY_INBOX: Inbox = { last: new Map(), position: null, waiting: [], holes: 0 }

export function seedInbox(heads: Record<string, number>, position: string | null, holes = 0): Inbox {
  return {
    last: new Map(Object.entries(heads).map(([topic, seq]) => [Number(topic), seq])),
    position,
    waiting: [],
    holes,
  }
}

/**
 * Events from any rung, in any order, repeated or not. `apply` also holds repeats: a screen that was loaded later than
 * another may still lack them, and finds out by id.
 */
export function receive(inbox: Inbox, events: readonly LogEvent[], position: string | null): Received {
  const last = new Map(inbox.last)
  const apply: LogEvent[] = []
  let waiting = [...inbox.waiting]
  for (const log of events) {
    const { topic, seq } = log.event
    const verdict = judge(last.get(topic), seq)
    if (verdict === 'hole') {
      if (!waiting.some((other) => other.event.topic === topic && other.event.seq === seq)) waiting.push(log)
      continue
    }
    if (verdict === 'apply') last.set(topic, seq)
    apply.push(log)
  }
  waiting = drain(waiting, last, apply)
  const opened = waiting.length > 0 && inbox.waiting.length === 0
  return {
    inbox: {
      last,
      waiting,
      position: waiting.length === 0 && position !== null ? position : inbox.position,
      holes: inbox.holes + (opened ? 1 : 0),
    },
    apply,
    refetch: waiting.length > 0,
  }
}

/** Moves what has become next in its topic from `waiting` to `apply`; returns what still has a hole before it. */
function drain(waiting: LogEvent[], last: Map<number, number>, apply: LogEvent[]): LogEvent[] {
  const left: LogEvent[] = []
  for (const log of waiting.sort((a, b) => a.event.seq - b.event.seq)) {
    const { topic, seq } = log.event
    const verdict = judge(last.get(topic), seq)
    if (verdict === 'hole') {
      left.push(log)
      continue
    }
    if (verdict === 'apply') last.set(topic, seq)
    apply.push(log)
  }
  return left
}

/** Topics that the person no longer gets: what comes of them later starts from nothing. */
export function dropTopics(inbox: Inbox, keep: ReadonlySet<number>): Inbox {
  return {
    ...inbox,
    last: new Map([...inbox.last].filter(([topic]) => keep.has(topic))),
    waiting: inbox.waiting.filter((log) => keep.has(log.event.topic)),
  }
}
