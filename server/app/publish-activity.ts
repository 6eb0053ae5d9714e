// Publish: validate → authorise → one transaction → log. Publishes that arrive while a transaction runs are coalesced
// into the next one, so that the lock is short and the rate grows with the load.
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Activity, type Actor, mentionedHandles, type PublishInput } from '#shared/activity.ts'
import { AppError, noSuchTopic } from '#shared/errors.ts'
import type { FeedItem } from '#shared/feed.ts'
import { NO_TALK } from '#shared/talk.ts'
import type { LoggedAt, Outbox, OutboxEvent } from './log-ports.ts'
import type { ActivityStore, Publication, PublishOutcome } from './ports.ts'

/** Rows in one transaction: beyond this the time to commit grows faster than the rate. */
const BATCH_MAX = 200
/** Bookkeeping of what is in the log is collected for this long; the sweep covers a crash in between. */
const BOOKKEEPING_MS = 200

/**
 * Who publishes: a person, a tool on behalf of the person whose right it borrows, or a tool with a grant that its caller
 * has checked. `scope` keeps idempotency keys apart.
 */
export type Publisher = {
  actor: Actor
  source: string
  scope: string
  onBehalfOf?: string
  /** The names in its texts are those of another place, so nobody here is mentioned by them. */
  foreignNames?: boolean
}

/** `replayed`: it was stored before, under the same idempotency key; `activity` null: and deleted since. */
export type Stored = { id: number; activity: Activity | null; replayed: boolean }
export type Together =
  | { ok: true; stored: Stored[] }
  /** Nothing was stored; this is the first that was refused. */
  | { ok: false; index: number; outcome: 'hidden' | 'denied' | 'reused' }

type Waiting = {
  publications: Publication[]
  /** All or none, in a transaction of their own; the others share one. */
  together: boolean
  resolve: (outcomes: PublishOutcome[]) => void
  reject: (error: unknown) => void
}

type Deps = {
  activities: ActivityStore
  outbox: Pick<Outbox, 'markLogged'>
  relay: { append: (events: OutboxEvent[]) => Promise<LoggedAt[]> }
  /** Stored by this process, in the order of their commits; the log has not told of it yet. */
  onCommitted?: (events: OutboxEvent[]) => void
  onRelayError: (error: unknown) => void
  onPublished?: (source: 'app' | 'ingest') => void
}

export type PublishActivity = ReturnType<typeof createPublishActivity>

export function createPublishActivity(deps: Deps) {
  const { activities, outbox, relay, onRelayError } = deps
  const waiting: Waiting[] = []
  let running = false
  let relaying: Promise<void> = Promise.resolve()
  let unrecorded: LoggedAt[] = []
  let recording: NodeJS.Timeout | null = null

  async function run(): Promise<void> {
    running = true
    // What came with the same turn of the event loop goes along: without the wait the first of many publishes would
    // travel alone, and those who are answered together would come again one by one.
    for (;;) {
      await nextTurn()
      const batch = nextBatch(waiting)
      if (batch.length === 0) break
      try {
        const publications = batch.flatMap((one) => one.publications)
        const outcomes = await (batch[0]!.together
          ? activities.publishTogether(publications)
          : activities.publishBatch(publications))
        if (outcomes.every(isAccepted) || !batch[0]!.together) {
          const fresh = outcomes.flatMap((one) => (one.outcome === 'fresh' ? [one.activity] : []))
          handToLog(fresh.map(toEvent))
          for (const { actor } of fresh) deps.onPublished?.(actor.kind === 'tool' ? 'ingest' : 'app')
        }
        let at = 0
        for (const { publications: own, resolve } of batch) {
          resolve(outcomes.slice(at, at + own.length))
          at += own.length
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  /** One batch after the other, so that the log gets them in the order of their commits. */
  function handToLog(events: OutboxEvent[]): void {
    if (events.length === 0) return
    deps.onCommitted?.(events)
    relaying = relaying.then(async () => {
      try {
        unrecorded.push(...(await relay.append(events)))
        recording ??= setTimeout(() => void record(), BOOKKEEPING_MS)
      } catch (error) {
        // Committed is committed: the sweep brings it to the log when Redis is back.
        onRelayError(error)
      }
    })
  }

  async function record(): Promise<void> {
    if (recording) clearTimeout(recording)
    recording = null
    const logged = unrecorded
    unrecorded = []
    try {
      await outbox.markLogged(logged)
    } catch (error) {
      onRelayError(error)
    }
  }

  function submit(publications: Publication[], together: boolean): Promise<PublishOutcome[]> {
    return new Promise((resolve, reject) => {
      waiting.push({ publications, together, resolve, reject })
      if (!running) void run()
    })
  }

  /** What was stored under the same key before. The right to publish there was checked a moment ago. */
  async function firsts(outcomes: PublishOutcome[]): Promise<Map<number, Activity>> {
    const ids = outcomes.flatMap((one) => (one.outcome === 'replay' ? [one.activityId] : []))
    return ids.length === 0 ? new Map() : activities.published(ids)
  }

  async function publish(publisher: Publisher, input: PublishInput): Promise<FeedItem> {
    const outcomes = await submit([toPublication(publisher, input)], false)
    const outcome = outcomes[0]!
    switch (outcome.outcome) {
      case 'fresh':
        return { ...outcome.activity, read: true, talk: NO_TALK }
      case 'replay': {
        const first = (await firsts(outcomes)).get(outcome.activityId)
        if (!first) throw new AppError('DELETED', 'This was published before and has been deleted since.')
        // The first answer once more: what was said since has a higher version wherever it is known.
        return { ...first, read: true, talk: NO_TALK }
      }
      case 'reused':
        throw keyReused('idempotencyKey')
      case 'denied':
        throw new AppError('NOT_ALLOWED', 'Only owners publish to this topic.', { field: 'topic' })
      case 'hidden':
        throw noSuchTopic()
    }
  }

  /** All or none. With a `key` for the whole, sending the same again stores nothing and answers the same. */
  async function publishTogether(publisher: Publisher, inputs: PublishInput[], key?: string): Promise<Together> {
    // One alone is all or none anyway, and may share a transaction.
    const outcomes = await submit(toPublications(publisher, inputs, key), inputs.length > 1)
    const index = outcomes.findIndex((one) => !isAccepted(one))
    if (index >= 0) return { ok: false, index, outcome: (outcomes[index] as Refused).outcome }
    const before = await firsts(outcomes)
    return {
      ok: true,
      stored: outcomes.map((one) => {
        if (one.outcome === 'fresh') return { id: one.activity.id, activity: one.activity, replayed: false }
        const { activityId: id } = one as Extract<PublishOutcome, { outcome: 'replay' }>
        return { id, activity: before.get(id) ?? null, replayed: true }
      }),
    }
  }

  return {
    publish,
    /** For other changes of a topic: they reach the log by the same queue, after what was committed before them. */
    handToLog,
    publishTogether,
    /** Resolves when everything committed so far has been offered to the log and noted. */
    async settle(): Promise<void> {
      await relaying
      await record()
    },
  }
}

type Refused = Extract<PublishOutcome, { outcome: 'hidden' | 'denied' | 'reused' }>

const isAccepted = ({ outcome }: PublishOutcome) => outcome === 'fresh' || outcome === 'replay'

export const keyReused = (field: string) =>
  new AppError('KEY_REUSED', 'This idempotency key was used for something else.', { field })

/** What goes into the next transaction: one that must stay together, or all up to the next such one. */
function nextBatch(waiting: Waiting[]): Waiting[] {
  if (waiting[0]?.together) return waiting.splice(0, 1)
  const next = waiting.findIndex(({ together }) => together)
  return waiting.splice(0, next < 0 ? BATCH_MAX : Math.min(next, BATCH_MAX))
}

const toEvent = (activity: Activity): OutboxEvent => ({
  topicId: activity.topic.id,
  seq: activity.seq,
  log: { kind: 'activity', event: { topic: activity.topic.id, seq: activity.seq, activity } },
})

function toPublication(publisher: Publisher, input: PublishInput): Publication {
  const { actor, source, scope, onBehalfOf, foreignNames = false } = publisher
  const { topic, idempotencyKey: key, ...body } = input
  return {
    topic,
    actor,
    source,
    ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
    input: { ...body, mentions: foreignNames ? [] : mentionedHandles(input.summary) },
    idempotency: key === undefined ? null : { scope, key, bodyHash: hashBody(topic, body) },
  }
}

/** Rows without a key of their own get one by their place; their hash is that of the whole, so that no part can change. */
function toPublications(publisher: Publisher, inputs: PublishInput[], key: string | undefined): Publication[] {
  const publications = inputs.map((input) => toPublication(publisher, input))
  if (key === undefined) return publications
  const bodyHash = hashBody('', inputs)
  return publications.map((publication, place) => ({
    ...publication,
    // A space cannot be in a key that somebody sends.
    idempotency: publication.idempotency ?? {
      scope: publisher.scope,
      key: place === 0 ? key : `${key} ${place}`,
      bodyHash,
    },
  }))
}

/** The same body gives the same hash, however its keys were ordered. */
function hashBody(topic: string, body: object): string {
  return createHash('sha256')
    .update(`${topic} ${JSON.stringify(sorted(body))}`)
    .digest('base64url')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
