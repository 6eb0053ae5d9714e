// Several server processes behind one port. The first process accepts connections and deals them out, starts what they
// share, and replaces those that end; it serves nothing itself. SIGUSR2 replaces all of them one by one.
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import { type MetricsMessage, serveMetrics } from './cluster-metrics.ts'
import { type Env, type Mode, readEnv } from './config/env.ts'
import { keptSecret } from './config/kept-secret.ts'
import { startEmbeddedRedis } from './embedded/redis.ts'
import { type RunningServer, runServer } from './main.ts'

/** A process that ends by itself is replaced after this long; one that cannot even start, after ever longer. */
const REPLACE_MS = 500
const REPLACE_MAX_MS = 30_000
const REPLACE_TRIES = 3
/** How long a process may take to drain before it is ended. */
const DRAIN_MAX_MS = 15_000

export type FromWorker = { type: 'failed'; message: string } | { type: 'ready'; port: number }

type Options = { mode: Mode; environment: Record<string, string | undefined>; say: (line: string) => void }

/** One process serves from here; more than one are started, watched and stopped from here. */
export async function runProcesses(options: Options): Promise<RunningServer> {
  const env = readEnv(options.environment, options.mode)
  return env.workers === 1 ? runServer(options) : runCluster(env, options)
}

async function runCluster(env: Env, { environment, say }: Options): Promise<RunningServer> {
  const stops: (() => Promise<unknown>)[] = []
  const shared: Record<string, string> = { WORKERS: '1', AUTH_SECRET: env.authSecret ?? keptSecret(env.dataDir) }
  if (!env.redisUrl) {
    say('Starting the embedded Redis …')
    const redis = await startEmbeddedRedis({ dataDir: env.dataDir, onProgress: say })
    stops.push(redis.stop)
    shared.REDIS_URL = `unix://${redis.socketPath}`
  }
  const processes = new Processes({ ...environment, ...shared }, say)
  try {
    let serving = false
    // Heard from the first moment on: unheard, the signal would end us.
    const replaceAll = () => {
      if (serving) processes.replaceAll()
    }
    process.on('SIGUSR2', replaceAll)
    const port = await processes.start(env.workers)
    serving = true
    say(`Signal Feed is ready on ${env.workers} processes: http://localhost:${port}`)
    return {
      port,
      async stop() {
        process.off('SIGUSR2', replaceAll)
        await processes.stop()
        for (const stop of stops) await stop()
      },
    }
  } catch (error) {
    await processes.stop()
    for (const stop of stops) await stop()
    throw error
  }
}

class Processes {
  readonly #environment: Record<string, string | undefined>
  readonly #say: (line: string) => void
  readonly #leaving = new Set<Worker>()
  #stopping = false
  #replacing: Promise<void> = Promise.resolve()
  #failures = 0
  /** The numbers that figures carry: the lowest that is free, so that replacing processes makes no new ones. */
  readonly #places = new Map<Worker, number>()
  readonly #answerMetrics = serveMetrics(
    () => [...this.#places.keys()],
    (worker) => this.#places.get(worker)!,
  )

  constructor(environment: Record<string, string | undefined>, say: (line: string) => void) {
    this.#environment = environment
    this.#say = say
    cluster.setupPrimary({ exec: fileURLToPath(new URL('cluster-worker.ts', import.meta.url)), args: [] })
  }

  /** One first: what it cannot do, the others cannot do either, and it is said once. */
  async start(count: number): Promise<number> {
    const port = await this.#fork()
    await Promise.all(Array.from({ length: count - 1 }, () => this.#fork()))
    return port
  }

  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(this.#alive().map((worker) => this.#end(worker)))
    await this.#replacing
  }

  /** The new one serves before the old one drains. */
  replaceAll(): void {
    this.#replacing = this.#replacing
      .then(async () => {
        for (const worker of this.#alive()) {
          if (this.#stopping) return
          await this.#forkPatiently()
          await this.#end(worker)
        }
        this.#say('All processes were replaced.')
      })
      .catch((error: unknown) => this.#say(`Processes were not replaced: ${String(error)}`))
  }

  /** A busy machine may need a second try; the old one serves meanwhile. */
  async #forkPatiently(): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#fork()
        return
      } catch (error) {
        if (tries === REPLACE_TRIES || this.#stopping) throw error
        this.#say(`A new process did not start (${String(error)}); trying again.`)
      }
    }
  }

  #alive(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker !== undefined)
  }

  /** Resolves with the port when the process serves. */
  #fork(): Promise<number> {
    const worker = cluster.fork(this.#environment)
    return new Promise((resolve, reject) => {
      worker.on('message', (message: FromWorker | MetricsMessage) => {
        if (message.type === 'metrics-wanted' || message.type === 'metrics-given')
          return void this.#answerMetrics(worker, message)
        if (message.type === 'failed') return reject(new Error(message.message))
        if (message.type !== 'ready') return
        this.#failures = 0
        this.#takePlace(worker)
        resolve(message.port)
        worker.once('exit', (code, signal) => this.#replace(worker, signal ?? code))
      })
      worker.once('exit', (code, signal) => reject(new Error(`a process ended while it started (${signal ?? code})`)))
    })
  }

  #takePlace(worker: Worker): void {
    const taken = new Set(this.#places.values())
    let place = 1
    while (taken.has(place)) place++
    this.#places.set(worker, place)
    worker.once('exit', () => this.#places.delete(worker))
  }

  #replace(worker: Worker, why: string | number): void {
    if (this.#leaving.delete(worker) || this.#stopping) return
    const waitMs = Math.min(REPLACE_MAX_MS, REPLACE_MS * 2 ** this.#failures)
    this.#say(`Process ${worker.process.pid} ended (${why}); another one starts.`)
    setTimeout(() => {
      if (this.#stopping) return
      this.#fork().catch((error: unknown) => {
        this.#failures += 1
        this.#replace(worker, String(error))
      })
    }, waitMs)
  }

  #end(worker: Worker): Promise<void> {
    this.#leaving.add(worker)
    return new Promise((resolve) => {
      const limit = setTimeout(() => worker.process.kill('SIGKILL'), DRAIN_MAX_MS)
      worker.once('exit', () => {
        clearTimeout(limit)
        resolve()
      })
      if (worker.isDead()) resolve()
      else worker.process.kill('SIGTERM')
    })
  }
}
