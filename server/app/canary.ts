// Publishes on the real path and waits until it comes back from the log, as every reader's process gets it: transaction,
// outbox, relay, log, tail. What this cannot do, people cannot do either. Its topic has no members and a name that nobody
// can type, so it is in nobody's feed, counts, search or lists.
import { performance } from 'node:perf_hooks'
import type { PublishInput } from '#shared/activity.ts'
import type { Clock } from '#shared/clock.ts'
import type { ActivityEvent } from '#shared/live-events.ts'
import type { CanaryStore } from './ports.ts'
import type { Publisher } from './publish-activity.ts'

/** Not a topic's name by the rules (shared/topic.ts): neither made nor found by anybody. */
export const CANARY_TOPIC = '~canary/own'
/** Activities of it that are kept, for whoever wants to look at one. */
const KEPT = 100

export type CanaryStage = 'publish' | 'receive'
type Seen = { topicId: number; kind: string; data: string }
type Deps = {
  store: CanaryStore
  publish: (publisher: Publisher, input: PublishInput) => Promise<unknown>
  /** Tells processes apart. */
  name: string
  timeoutMs: number
  clock: Clock
  figures: {
    ran: () => void
    came: (seconds: number, nowMs: number) => void
    failed: (stage: CanaryStage) => void
  }
  onFailure: (stage: CanaryStage) => (error: unknown) => void
}

const PUBLISHER: Publisher = {
  actor: { kind: 'tool', id: 'canary', name: 'Canary' },
  source: 'canary',
  scope: 'canary',
}

const toInput = (key: string): PublishInput => ({
  topic: CANARY_TOPIC,
  verb: 'pinged',
  object: { type: 'canary', id: key, title: key },
  summary: '',
  metadata: {},
})

export type Canary = ReturnType<typeof createCanary>

export function createCanary({ store, publish, name, timeoutMs, clock, figures, onFailure }: Deps) {
  let topicId: number | null = null
  let runs = 0
  let waiting: { key: string; came: () => void } | null = null

  /** False when it did not come in time. */
  function receipt(key: string): { came: Promise<boolean>; give: () => void } {
    let timer: NodeJS.Timeout | undefined
    const came = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs)
      waiting = { key, came: () => resolve(true) }
    })
    const give = () => {
      clearTimeout(timer)
      waiting = null
    }
    return { came, give }
  }

  return {
    async run(): Promise<void> {
      figures.ran()
      const key = `${name}-${++runs}`
      const startedAt = performance.now()
      // Listened for before it is published: it may be back before the answer.
      const { came, give } = receipt(key)
      try {
        topicId ??= await store.ensure(CANARY_TOPIC)
        await publish(PUBLISHER, toInput(key))
        if (await came) figures.came((performance.now() - startedAt) / 1_000, clock.now())
        else {
          figures.failed('receive')
          onFailure('receive')(new Error(`it did not come back within ${timeoutMs} ms`))
        }
      } catch (error) {
        figures.failed('publish')
        onFailure('publish')(error)
      } finally {
        give()
      }
    },

    /** An entry of the log, as this process follows it. */
    saw({ topicId: seenTopic, kind, data }: Seen): void {
      if (waiting === null || seenTopic !== topicId || kind !== 'activity') return
      const { activity } = JSON.parse(data) as ActivityEvent
      if (activity.object?.id === waiting.key) waiting.came()
    },

    async forget(): Promise<void> {
      if (topicId !== null) await store.keepNewest(topicId, KEPT)
    },
  }
}
