// Brings committed events into the log, in order, once. The publishing process hands its events over at once; the sweep
// finds what a crash or an absent Redis left behind; reconciling finds what the log itself has lost.
import { serialise } from '#server/domain/feed/wire.ts'
import type { ActivityLog, LoggedAt, Outbox, OutboxEvent } from './ports.ts'

/** How much of a topic is sent again at a time when the log is behind. */
const RESEND_MAX = 1_000
/** Old enough that the publishing process is not just about to do it. */
const SWEEP_AGE_MS = 1_000
const SWEEP_LIMIT = 500

export type Relay = ReturnType<typeof createRelay>

export function createRelay(outbox: Outbox, log: ActivityLog) {
  /** Appends and repairs gaps; returns where each event is. Throws when the log is out of reach. */
  async function append(events: OutboxEvent[]): Promise<LoggedAt[]> {
    const results = await log.append(events.map((event) => toEntry(event, null)))
    const logged: LoggedAt[] = []
    const behind = new Map<number, number | null>()
    results.forEach((result, index) => {
      const { topicId, seq } = events[index]!
      if (result.status === 'gap') behind.set(topicId, result.head)
      else logged.push({ topicId, seq, id: result.status === 'appended' ? parseId(result.id) : null })
    })
    for (const [topicId, head] of behind) logged.push(...(await resend(topicId, head)))
    return logged
  }

  /** Sends a topic again from the log's head; from the oldest event that exists when the log knows nothing of it. */
  async function resend(topicId: number, head: number | null): Promise<LoggedAt[]> {
    const logged: LoggedAt[] = []
    let from = head ?? 0
    let base: number | null = null
    for (;;) {
      const events = await outbox.after(topicId, from, RESEND_MAX)
      if (events.length === 0) return logged
      if (events[0]!.seq > from + 1) {
        if (head !== null) throw new Error(`events of topic ${topicId} after ${from} are gone`)
        base = events[0]!.seq - 1
      }
      const results = await log.append(events.map((event) => toEntry(event, base)))
      results.forEach((result, index) => {
        const { seq } = events[index]!
        if (result.status !== 'gap')
          logged.push({ topicId, seq, id: result.status === 'appended' ? parseId(result.id) : null })
      })
      from = events.at(-1)!.seq
      if (events.length < RESEND_MAX) return logged
    }
  }

  return {
    append,

    /** No lock: two processes that sweep at once repeat each other, and the log takes each event once. */
    async sweep(): Promise<number> {
      const events = await outbox.pending({ ageMs: SWEEP_AGE_MS, limit: SWEEP_LIMIT })
      if (events.length > 0) await outbox.markLogged(await append(events))
      return events.length
    },

    /** Compares heads with Postgres after a reconnect and now and then; returns how many topics were behind. */
    async reconcile(): Promise<number> {
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
      let behind = 0
      for (const [topicId, seq] of heads) {
        const logHead = logHeads.get(topicId)
        if (seq === (logHead ?? 0)) continue
        behind += 1
        await outbox.markLogged(await resend(topicId, logHead ?? null))
      }
      return behind
    },
  }
}

const toEntry = ({ topicId, seq, log }: OutboxEvent, base: number | null) => ({
  topicId,
  seq,
  base,
  kind: log.kind,
  data: serialise(log),
})

function parseId(id: string): { ms: number; n: number } {
  const [ms, n] = id.split('-')
  return { ms: Number(ms), n: Number(n) }
}
