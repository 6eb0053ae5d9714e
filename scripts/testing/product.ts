// The product as its users run it: production mode, in a process of its own, on a free port with its own data. For
// browser tests and benchmarks; it goes away when it is stopped or when we die.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type GuardedChild, startGuarded } from '#server/embedded/guarded-child.ts'
import { freePort } from './postgres-server.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The first start builds the client and creates the database. */
const READY_LIMIT_MS = 120_000
const READY_CHECK_MS = 100

export type Product = {
  url: string
  port: number
  dataDir: string
  /** What it has printed lately. */
  output: () => string
  /** `npm run ops -- …` on it; what it printed. */
  ops: (...args: string[]) => Promise<string>
  /** Stops it; the data stays for `restart`. */
  halt: () => Promise<void>
  /** SIGKILL, as in a crash. Its Redis goes with it. */
  kill: () => Promise<void>
  /** Starts it again on the same port and data. */
  restart: () => Promise<void>
  /** Stops it and removes its data. */
  stop: () => Promise<void>
}

export async function startProduct(env: Record<string, string> = {}): Promise<Product> {
  const dataDir = env.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'sf-product-')))
  const port = env.PORT === undefined ? await freePort() : Number(env.PORT)
  const url = `http://127.0.0.1:${port}`
  const environment = {
    ...process.env,
    // Never the developer's own servers, whatever the shell or .env names; set to nothing means not set.
    ...{ DATABASE_URL: '', REDIS_URL: '', EDGE_URL: 'none', PUBLIC_URL: '', WORKERS: '' },
    // Unlimited sign-ins are allowed on the loopback address only.
    ...{ SEED_DEMO: '', AUTH_THROTTLE: 'off', DEMO_BOT: '', HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
    ...env,
    ...{ PORT: String(port), DATA_DIR: dataDir, NODE_ENV: 'production' },
  }
  const start = async () => {
    const child = startGuarded({
      command: process.execPath,
      args: [join(ROOT, 'scripts/start.ts')],
      cwd: ROOT,
      env: environment,
    })
    await untilReady(url, child)
    return child
  }
  let child = await start()
  return {
    url,
    port,
    dataDir,
    output: () => child.output(),
    ops: async (...args) => {
      const file = join(ROOT, 'scripts/ops.ts')
      return (await run(process.execPath, [file, ...args], { cwd: ROOT, env: environment })).stdout
    },
    halt: () => child.stop(),
    kill: () => child.kill(),
    restart: async () => {
      await child.stop()
      child = await start()
    },
    stop: async () => {
      await child.stop()
      if (env.DATA_DIR === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function untilReady(url: string, child: GuardedChild): Promise<void> {
  let ended = false
  void child.exited.then(() => {
    ended = true
  })
  for (let attempt = 0; attempt < READY_LIMIT_MS / READY_CHECK_MS; attempt++) {
    if (ended) throw new Error(`The product did not start:\n${child.output()}`)
    if (await isReady(url)) return
    await wait(READY_CHECK_MS)
  }
  await child.kill()
  throw new Error(`The product was not ready within ${READY_LIMIT_MS / 1_000} s:\n${child.output()}`)
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok
  } catch {
    // Nobody listens yet.
    return false
  }
}
