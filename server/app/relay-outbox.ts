// Brings committed events into the log, in order, once. The publishing process hands its events over at once; the sweep
// finds what a crash or an absent Redis left behind; reconciling finds what the log itself has lost.
import { serialise } from '#server/domain/feed/wire.ts'
import type { ActivityLog, LoggedAt, LogInput, Outbox, OutboxEvent } from './log-ports.ts'

/** How much is sent again at a time when the log is behind: topics asked about, and events of all of them. */
const RESEND_TOPICS = 500
const RESEND_MAX = 1_000
/** Old enough that the publishing process is not just about to do it. */
const SWEEP_AGE_MS = 1_000
const SWEEP_LIMIT = 500

/** The log's head of each topic that is behind; null when the log knows nothing of it. */
type Behind = ReadonlyMap<number, number | null>

/** The log needs events that the outbox no longer has: it cannot go on where it ended. */
class EventsGone extends Error {}

export type Relay = ReturnType<typeof createRelay>

export function createRelay(outbox: Outbox, log: ActivityLog) {
  /** Appends and repairs gaps; returns where each event is. Throws when the log is out of reach. */
  async function append(events: OutboxEvent[]): Promise<LoggedAt[]> {
    const results = await log.append(events.map((event) => toEntry(event, null, false)))
    const logged: LoggedAt[] = []
    const behind = new Map<number, number | null>()
    results.forEach((result, index) => {
      const { topicId, seq } = events[index]!
      if (result.status === 'gap') behind.set(topicId, result.head)
      else logged.push({ topicId, seq, id: result.status === 'appended' ? parseId(result.id) : null })
    })
    for await (const page of resend(behind)) logged.push(...page)
    return logged
  }

  /** Sends topics again from the log's heads; from the oldest event that exists when the log knows nothing of one. */
  async function* resend(behind: Behind): AsyncGenerator<LoggedAt[]> {
    const places = [...behind].map(([topicId, head]) => ({ topicId, seq: head ?? 0 })).sort(byTopic)
    while (places.length > 0) {
      const asked = places.slice(0, RESEND_TOPICS)
      const events = await outbox.after(asked, RESEND_MAX)
      const entries = toRuns(events, asked, behind)
      const results = await log.append(entries)
      yield entries.flatMap(({ topicId, seq }, index) => {
        const result = results[index]!
        if (result.status === 'gap') return []
        return [{ topicId, seq, id: result.status === 'appended' ? parseId(result.id) : null }]
      })
      const last = events.at(-1)
      // A full answer may have ended within a topic: it goes on there, and all before it are done.
      const cut = events.length === RESEND_MAX && last ? asked.findIndex(({ topicId }) => topicId === last.topicId) : -1
      places.splice(0, cut === -1 ? asked.length : cut)
      if (cut !== -1) places[0] = { topicId: last!.topicId, seq: last!.seq }
    }
  }

  async function refill(behind: Behind): Promise<void> {
    for await (const page of resend(behind)) await outbox.markLogged(page)
  }

  /** Compares heads with Postgres after a reconnect and now and then; returns how many topics were behind. */
  async function reconcile(): Promise<number> {
    // The log is read first: a head that it has, Postgres has too, unless Postgres went back in time.
    const logHeads = await log.heads()
    const heads = await outbox.heads()
    for (const [topicId, seq] of logHeads) {
      if (seq <= (heads.get(topicId) ?? 0)) continue
      // The log has events that the truth does not: a restored or replaced database. Its numbers would come again
      // and be taken for repeats.
      await log.restart()
      logHeads.clear()
      break
    }
    const behind = new Map<number, number | null>()
    for (const [topicId, seq] of heads) {
      const logHead = logHeads.get(topicId) ?? null
      if (seq !== (logHead ?? 0)) behind.set(topicId, logHead)
    }
    try {
      await refill(behind)
    } catch (error) {
      if (!(error instanceof EventsGone)) throw error
      // An old copy of Redis, or a database that was filled from elsewhere: readers are told to start over.
      await log.restart()
      await refill(new Map([...heads.keys()].map((topicId) => [topicId, null])))
    }
    return behind.size
  }

  return {
    append,
    reconcile,

    /** No lock: two processes that sweep at once repeat each other, and the log takes each event once. */
    async sweep(): Promise<number> {
      const events = await outbox.pending({ ageMs: SWEEP_AGE_MS, limit: SWEEP_LIMIT })
      if (events.length === 0) return 0
      try {
        await outbox.markLogged(await append(events))
      } catch (error) {
        if (!(error instanceof EventsGone)) throw error
        // Not left to the next turn: one topic's hole would hold up all others.
        await reconcile()
      }
      return events.length
    },
  }
}

const byTopic = (a: { topicId: number }, b: { topicId: number }) => a.topicId - b.topicId

/** Entries for events that follow the given places. What lies before a hole is left out where the log is new to it. */
function toRuns(events: OutboxEvent[], places: { topicId: number; seq: number }[], behind: Behind) {
  const runs = new Map(places.map(({ topicId, seq }) => [topicId, { last: seq, entries: [] as LogInput[] }]))
  for (const event of events) {
    const run = runs.get(event.topicId)!
    const hole = event.seq > run.last + 1
    if (hole && behind.get(event.topicId) !== null)
      throw new EventsGone(`events of topic ${event.topicId} after ${run.last} are gone`)
    if (hole) run.entries = []
    run.entries.push(toEntry(event, hole ? event.seq - 1 : null, true))
    run.last = event.seq
  }
  return [...runs.values()].flatMap(({ entries }) => entries)
}

const toEntry = ({ topicId, seq, log }: OutboxEvent, base: number | null, again: boolean): LogInput => ({
  topicId,
  seq,
  base,
  again,
  kind: log.kind,
  data: serialise(log),
})

function parseId(id: string): { ms: number; n: number } {
  const [ms, n] = id.split('-')
  return { ms: Number(ms), n: Number(n) }
}
