// Webhooks on their way. A delivery is planned in Postgres, handed to the job partitions at the edge, which say when to
// try and how often, and tried here, where the request leaves and its answer is written down. Handing over is
// level-triggered: whatever is open and was not heard of for a while is handed over again under the same key.
import { createHmac } from 'node:crypto'
import type { Clock } from '#shared/clock.ts'
import type { Answer, Attempt, Due, JobTaker, PostOut, WebhookStore } from './webhook-ports.ts'

type Deps = {
  webhooks: WebhookStore
  /** Null: no edge is configured, and deliveries wait for one. */
  jobs: JobTaker | null
  post: PostOut
  clock: Clock
  secretOf: (salt: string) => string
  /** Tells the owner's tabs that an endpoint of theirs was paused. */
  onPaused: (ownerId: string) => void
  staleMs: number
  giveUpMs: number
  /** Tries of one delivery before it is given up. */
  tries: number
}

export type SendWebhooks = ReturnType<typeof createSendWebhooks>

/** What the job partition is told. `targetDown`: the host as a whole, so that others of its jobs wait as well. */
export type TryOutcome = {
  outcome: 'done' | 'retry' | 'dead'
  retryAfterMs?: number
  targetDown?: boolean
  error?: string
}

const HAND_OVER = 200
/** Hosts that answer so are away as a whole, not unhappy with one message. */
const AWAY = new Set([502, 503, 504])
const GONE = 410

export function signature(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.slice(secret.indexOf('_') + 1), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
}

export function createSendWebhooks(deps: Deps) {
  const { webhooks, jobs, post, clock, secretOf } = deps

  async function pause(due: Due, reason: 'failing' | 'gone' | 'rights') {
    if (await webhooks.pause(due.endpoint.id, reason, new Date(clock.now()))) deps.onPaused(due.endpoint.ownerId)
  }

  async function request(due: Due): Promise<{ answer: Answer; attempt: Attempt }> {
    const at = clock.now()
    const seconds = Math.floor(at / 1_000)
    const answer = await post({
      url: due.endpoint.url,
      body: due.body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'signal-feed',
        'webhook-id': due.messageId,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signature(secretOf(due.endpoint.salt), due.messageId, seconds, due.body),
      },
    })
    const answered = answer.is === 'answered'
    return {
      answer,
      attempt: {
        at: new Date(at),
        tookMs: Math.max(0, Math.round(clock.now() - at)),
        status: answered ? answer.status : null,
        error: answered ? null : answer.reason,
        answer: answered ? answer.body : null,
      },
    }
  }

  return {
    /** Hands over what is open; returns how many. */
    async handOver(): Promise<number> {
      if (!jobs) return 0
      let total = 0
      for (let more = true; more; ) {
        const open = await webhooks.open(new Date(clock.now() - deps.staleMs), HAND_OVER)
        if (open.length === 0) break
        await jobs.submit(
          open.map(({ id, run, host }) => ({
            ...{ type: 'webhook' as const, key: host, idempotencyKey: `${id}.${run}` },
            payload: { delivery: id, run },
          })),
        )
        await webhooks.handed(
          open.map(({ id }) => id),
          new Date(clock.now()),
        )
        total += open.length
        more = open.length === HAND_OVER
      }
      return total
    },

    /** One try. Whatever the answer, it is written down before the job partition is told. */
    async attempt({ delivery, run }: { delivery: number; run: number }): Promise<TryOutcome> {
      const due = await webhooks.due(delivery)
      // Removed, deleted, sent again by hand since, or delivered and only not heard of: there is nothing left to do.
      if (!due || due.run !== run || due.delivered || due.body === '') return { outcome: 'done' }
      const now = () => new Date(clock.now())
      if (!due.endpoint.mayView) {
        await pause(due, 'rights')
        await webhooks.record(due, null, 'failed', now())
        return { outcome: 'dead', error: 'The owner may no longer see the topic.' }
      }
      if (due.endpoint.paused) {
        await webhooks.record(due, null, 'failed', now())
        return { outcome: 'dead', error: 'The endpoint is paused.' }
      }
      const { answer, attempt } = await request(due)
      const verdict = judge(answer)
      const dead = verdict.outcome === 'dead' || (verdict.outcome === 'retry' && due.attempts + 1 >= deps.tries)
      await webhooks.record(
        due,
        attempt,
        verdict.outcome === 'done' ? 'delivered' : dead ? 'failed' : 'retrying',
        now(),
      )
      if (verdict.outcome === 'done') return verdict
      if (answer.is === 'answered' && answer.status === GONE) await pause(due, 'gone')
      const since = due.endpoint.failingSince
      if (since && clock.now() - since.getTime() >= deps.giveUpMs) await pause(due, 'failing')
      return dead ? { ...verdict, outcome: 'dead' } : verdict
    },
  }
}

/** Anything but success is worth another try, as Standard Webhooks has it; except where it cannot help. */
export function judge(answer: Answer): TryOutcome {
  if (answer.is === 'refused') return { outcome: 'dead', error: answer.reason }
  if (answer.is === 'unreachable') return { outcome: 'retry', targetDown: true, error: answer.reason }
  const { status, retryAfterMs } = answer
  if (status >= 200 && status < 300) return { outcome: 'done' }
  const error = `${status}`
  if (status === GONE) return { outcome: 'dead', error }
  return {
    ...{ outcome: 'retry' as const, error, targetDown: AWAY.has(status) },
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  }
}
