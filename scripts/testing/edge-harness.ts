// The edge inside the test's own process, where objects can be put to sleep, looked into and told to sweep, and with faults/
// between the subscription worker and what it leans on, so that streams and queue fail when a test says so.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestHarness } from 'wrangler'
import { SILENT, WORKERS, writeConfig } from '../edge/edge-process.ts'
import { OPEN_VARS } from './edge.ts'

/** Probabilities from 0 to 1; what each means is in edge/faults/worker.ts. */
export type FaultWish = Partial<
  Record<
    | 'deliver'
    | 'deliverLost'
    | 'post'
    | 'postLost'
    | 'joinLost'
    | 'leave'
    | 'queueRefuses'
    | 'queueLoses'
    | 'queueDoubles'
    | 'seed',
    number
  >
>
type ObjectKind = 'STREAM_DO' | 'SUBSCRIPTION_DO' | 'SESSION_DO'
type Row = Record<string, string | number | null>

export type EdgeHarness = {
  url: string
  setFaults: (wish: FaultWish) => Promise<void>
  /** Memory is gone, storage and hibernating sockets stay. False when it was not awake, or too busy to sleep. */
  evict: (kind: ObjectKind, name: string) => Promise<boolean>
  sql: (kind: ObjectKind, name: string, query: string) => Promise<Row[]>
  /** Runs the cron of the subscription worker, which does not ring by itself here. */
  sweep: () => Promise<void>
  registry: () => Promise<KeyValue>
  stop: () => Promise<void>
}
type KeyValue = {
  put: (key: string, value: string, options: { metadata: unknown }) => Promise<void>
  list: (options: { prefix: string }) => Promise<{ keys: { name: string }[] }>
}

const FAULTY = {
  services: [
    { binding: 'CORE', service: 'signal-feed-faults', entrypoint: 'CoreService' },
    { binding: 'FANOUT_QUEUE', service: 'signal-feed-faults', entrypoint: 'FaultyQueue' },
  ],
  queues: { consumers: [{ queue: 'subscription-fanout', max_batch_size: 10, max_batch_timeout: 0, max_retries: 3 }] },
}

export async function startEdgeHarness(vars: Record<string, string> = {}): Promise<EdgeHarness> {
  Object.assign(process.env, SILENT, { WRANGLER_LOG: 'none' })
  const directory = await mkdtemp(join(tmpdir(), 'sf-edge-'))
  const configs = await Promise.all(
    [...WORKERS, 'faults'].map((name) =>
      writeConfig(name, directory, { vars: { ...OPEN_VARS, ...vars }, ...(name === 'subscriptions' ? FAULTY : {}) }),
    ),
  )
  const harness = createTestHarness({ workers: configs.map((configPath) => ({ configPath })) })
  const { url } = await harness.listen()
  const subscriptions = harness.getWorker('signal-feed-subscriptions')
  const workerOf = (kind: ObjectKind) =>
    kind === 'STREAM_DO' ? harness.getWorker('signal-feed-streams') : subscriptions
  return {
    url: url.origin,
    setFaults: async (wish) => {
      const faults = harness.getWorker('signal-feed-faults')
      const { status } = await faults.fetch('/', { method: 'PUT', body: JSON.stringify(wish) })
      if (status !== 204) throw new Error(`the faults were not taken: ${status}`)
    },
    evict: (kind, name) =>
      workerOf(kind)
        .evictDurableObject(kind, { name, webSockets: 'hibernate' })
        .then(
          () => true,
          () => false,
        ),
    sql: async (kind, name, query) => {
      const storage = await workerOf(kind).getDurableObjectStorage(kind, { name })
      return (await storage.exec(query)) as Row[]
    },
    sweep: async () => {
      await subscriptions.scheduled({ cron: '*/5 * * * *' })
    },
    registry: async () => (await subscriptions.getEnv()).REGISTRY as KeyValue,
    stop: async () => {
      await harness.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
