// Publish: validate → authorise → one transaction → log. Publishes that arrive while a transaction runs are coalesced
// into the next one, so that the lock is short and the rate grows with the load.
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Activity, type Actor, mentionedHandles, type PublishInput } from '#shared/activity.ts'
import { AppError, noSuchTopic } from '#shared/errors.ts'
import type { FeedItem } from '#shared/feed.ts'
import type { ActivityStore, LoggedAt, Outbox, OutboxEvent, Publication, PublishOutcome } from './ports.ts'

/** Rows in one transaction: beyond this the time to commit grows faster than the rate. */
const BATCH_MAX = 200
/** Bookkeeping of what is in the log is collected for this long; the sweep covers a crash in between. */
const BOOKKEEPING_MS = 200

/** Who publishes: a person, or a tool with a grant that its caller has checked. `scope` keeps idempotency keys apart. */
export type Publisher = { actor: Actor; source: string; scope: string }

type Waiting = {
  publication: Publication
  resolve: (outcome: PublishOutcome) => void
  reject: (error: unknown) => void
}

type Deps = {
  activities: ActivityStore
  outbox: Pick<Outbox, 'markLogged'>
  relay: { append: (events: OutboxEvent[]) => Promise<LoggedAt[]> }
  onRelayError: (error: unknown) => void
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
      const batch = waiting.splice(0, BATCH_MAX)
      if (batch.length === 0) break
      try {
        const outcomes = await activities.publishBatch(batch.map(({ publication }) => publication))
        const fresh = outcomes.flatMap((one) => (one.outcome === 'fresh' ? [toEvent(one.activity)] : []))
        handToLog(fresh)
        batch.forEach(({ resolve }, index) => {
          resolve(outcomes[index]!)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  /** One batch after the other, so that the log gets them in the order of their commits. */
  function handToLog(events: OutboxEvent[]): void {
    if (events.length === 0) return
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

  async function publish(publisher: Publisher, input: PublishInput): Promise<FeedItem> {
    const { actor } = publisher
    const outcome = await new Promise<PublishOutcome>((resolve, reject) => {
      waiting.push({ publication: toPublication(publisher, input), resolve, reject })
      if (!running) void run()
    })
    switch (outcome.outcome) {
      case 'fresh':
        return { ...outcome.activity, read: true }
      case 'replay': {
        const first = await activities.get(actor.id, outcome.activityId)
        if (!first) throw noSuchTopic()
        return { ...first, read: true }
      }
      case 'reused':
        throw new AppError('KEY_REUSED', 'This idempotency key was used for something else.', {
          field: 'idempotencyKey',
        })
      case 'denied':
        throw new AppError('NOT_ALLOWED', 'Only owners publish to this topic.', { field: 'topic' })
      case 'hidden':
        throw noSuchTopic()
    }
  }

  return {
    publish,
    /** Resolves when everything committed so far has been offered to the log and noted. */
    async settle(): Promise<void> {
      await relaying
      await record()
    },
  }
}

const toEvent = (activity: Activity): OutboxEvent => ({
  topicId: activity.topic.id,
  seq: activity.seq,
  log: { kind: 'activity', event: { topic: activity.topic.id, seq: activity.seq, activity } },
})

function toPublication({ actor, source, scope }: Publisher, input: PublishInput): Publication {
  const { topic, idempotencyKey: key, ...body } = input
  return {
    topic,
    actor,
    source,
    input: { ...body, mentions: mentionedHandles(input.summary) },
    idempotency: key === undefined ? null : { scope, key, bodyHash: hashBody(topic, body) },
  }
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
