// A person's sessions at the edge. What each is to listen to follows from what the person follows and may see; the store
// notes it, and this brings the edge to it: when a browser asks, when follows or rights change, when a sign-in ends, and
// again until it fits. The edge takes no older version than it has, so late requests do no harm.
import type { Clock } from '#shared/clock.ts'
import { EDGE_TOKEN_SECONDS, type EdgeSession, type ToldAlone } from '#shared/edge-session.ts'
import { AppError } from '#shared/errors.ts'
import type { ControlEvent } from '#shared/live-events.ts'
import type { BringToEdge } from './bring-to-edge.ts'
import type { AssignAnswer, EdgePlan, EdgeSessionCalls, EdgeSessionStore, EdgeStreams } from './edge-ports.ts'
import type { PersonalEvent } from './log-ports.ts'

/** After the edge has failed us, it is left alone for so long; whoever asks meanwhile hears that it is down. */
const REST_MS = 2_000
/** For the topics that a session wants and the edge does not have. */
const BRING_MS = 5_000
const BRING_AT_ONCE = 8
const SWEEP_LIMIT = 50

type Deps = {
  store: EdgeSessionStore
  calls: EdgeSessionCalls
  edge: Pick<EdgeStreams, 'create'>
  bring: BringToEdge
  /** Where browsers find a session's stream; null when they may not read it there. */
  grant: ((sessionId: string, seconds: number) => Promise<{ url: string; token: string }>) | null
  newId: () => string
  clock: Clock
  onError: (error: unknown) => void
}

export type EdgeSessions = ReturnType<typeof createEdgeSessions>

export function createEdgeSessions(deps: Deps) {
  const { store, calls, clock } = deps
  let restUntil = 0

  /** Null when somebody has told the edge something newer. */
  async function apply(plan: EdgePlan): Promise<{ offset: string; fresh: boolean } | null> {
    const first = await calls.assign(plan)
    if (first.is === 'stale') return null
    let answer: AssignAnswer = first
    if (first.missing.length > 0) {
      await bringAll(first.missing)
      answer = await calls.assign(plan)
    }
    if (answer.is === 'stale') return null
    if (answer.missing.length > 0) throw new Error(`${answer.missing.length} topics are not at the edge`)
    await confirm(plan)
    return { offset: answer.startOffset, fresh: first.fresh }
  }

  async function confirm(plan: EdgePlan): Promise<void> {
    await store.applied(plan)
    if (plan.appliedVersion === null || plan.appliedVersion === plan.version) return
    const control: ControlEvent = { type: 'follows', version: plan.version, topics: plan.topics }
    await calls.tell(plan.id, [{ name: 'control', body: control } satisfies ToldAlone])
  }

  async function bringAll(topics: number[]): Promise<void> {
    const end = clock.now() + BRING_MS
    const { signal } = new AbortController()
    const waiting = [...topics]
    const bringSome = async () => {
      for (let topic = waiting.pop(); topic !== undefined; topic = waiting.pop()) {
        await deps.edge.create(topic, signal)
        const { failure } = await deps.bring(topic, { isOver: () => clock.now() >= end, signal })
        if (failure !== null) throw failure
      }
    }
    await Promise.all(Array.from({ length: BRING_AT_ONCE }, bringSome))
  }

  async function settle(id: string): Promise<void> {
    const plan = await store.plan(id)
    if (plan === null) return end(id)
    try {
      await apply(plan)
    } catch (error) {
      await store.release(id)
      throw error
    }
  }

  async function end(id: string): Promise<void> {
    const over = await store.end(id)
    await calls.end(id)
    if (over) await store.remove(id)
  }

  /** Whatever fails is found unsettled by the sweep; one word about it is enough. */
  const each = async (ids: string[], work: (id: string) => Promise<void>): Promise<void> => {
    const results = await Promise.allSettled(ids.map(work))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) rest(failed.reason)
  }

  function rest(error: unknown): void {
    deps.onError(error)
    restUntil = clock.now() + REST_MS
  }

  return {
    /** For a browser of this sign-in: its session of that id if it has one, otherwise a new one. */
    async open(userId: string, loginSession: string, knownId: string | null): Promise<EdgeSession> {
      if (deps.grant === null) return { state: 'off' }
      if (restUntil > clock.now()) return { state: 'down' }
      const freshId = deps.newId()
      const plan = await store.open({ id: knownId ?? freshId, freshId, userId, loginSession })
      if (plan === null) throw new AppError('SIGNED_OUT', 'Sign in first.')
      const applied = await apply(plan).catch((error: unknown) => {
        rest(error)
        return null
      })
      // Not reached, or something changed while we asked: the next try finds it settled.
      if (applied === null) return { state: 'down' }
      if (!(await store.isLive(plan.id))) {
        await end(plan.id)
        throw new AppError('SIGNED_OUT', 'Sign in first.')
      }
      const granted = await deps.grant(plan.id, EDGE_TOKEN_SECONDS)
      return {
        ...{ state: 'ready', id: plan.id, ...applied, followsVersion: plan.version, ...granted },
        expiresInMs: EDGE_TOKEN_SECONDS * 1_000,
      }
    },

    /** Nobody without rights holds the topic at the edge once this has come back; throws when that is not known. */
    async withdraw(topicId: number): Promise<void> {
      const ids = await store.withoutRights(topicId)
      await Promise.all(
        ids.map(async (id) => {
          const plan = await store.plan(id)
          if (plan === null) return end(id)
          const answer = await calls.assign(plan)
          // What else it lacks is not urgent: it is found unsettled later.
          if (answer.is === 'assigned' && answer.missing.length === 0) await confirm(plan)
        }),
      )
    },

    /** What concerns one person, after everybody else was told. */
    async personal(event: PersonalEvent): Promise<void> {
      if (event.type === 'signed-out') return each(await store.ofLogin(event.sessionId), end)
      const ids = await store.of(event.userId)
      if (event.type === 'follows') return each(ids, settle)
      const told: ToldAlone[] =
        event.type === 'bell'
          ? [{ name: 'bell', body: { unread: event.unread } }]
          : [
              { name: 'read', body: event.read },
              { name: 'unread', body: event.counts },
            ]
      return each(ids, (id) => calls.tell(id, told))
    },

    /** Whatever does not fit, whoever should have seen to it. */
    async sweep(): Promise<void> {
      if (restUntil > clock.now()) return
      await each(await store.claim(SWEEP_LIMIT), settle)
    },
  }
}
