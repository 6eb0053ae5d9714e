// The whole HTTP side on a free port, on a real database, with a router of a few calls, for integration tests.
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import { openDatabase } from '#scripts/testing/databases.ts'
import { createAccounts } from '#server/accounts/accounts.ts'
import type { Env } from '#server/config/env.ts'
import { KnownSessions } from '#server/live/known-sessions.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { createMetrics } from '#server/telemetry/metrics.ts'
import { operatorProcedure, personProcedure, publicProcedure, router } from '#server/trpc.ts'
import { fixedClock, seededRandom } from '#shared/clock.ts'
import { AppError, type ErrorBody } from '#shared/errors.ts'
import type { Person } from '#shared/person.ts'
import { createHttpApp } from './app.ts'
import type { Readiness } from './health-routes.ts'
import { closeHttp, createHttpServer, listen } from './server.ts'

export type DatabaseKind = Parameters<typeof openDatabase>[0]

/** What must never be seen outside: thrown by the call `boom`. */
export const INTERNAL_SECRET = 'connection string postgres://admin:hunter2@db'

const testRouter = router({
  whoAmI: publicProcedure.query(({ ctx }) => ctx.person),
  mine: personProcedure.query(({ ctx }) => ctx.person.handle),
  operate: operatorProcedure.mutation(() => 'done'),
  echo: publicProcedure
    .input(z.strictObject({ text: z.string().max(10), deep: z.strictObject({ list: z.array(z.int()) }).optional() }))
    .mutation(({ input }) => input.text),
  find: publicProcedure.input(z.strictObject({ id: z.int() })).query(({ input }) => input.id),
  large: publicProcedure.input(z.strictObject({ text: z.string() })).mutation(({ input }) => input.text.length),
  taken: publicProcedure.mutation(() => {
    throw new AppError('NAME_TAKEN', 'Taken.', { field: 'name' })
  }),
  boom: publicProcedure.query(() => {
    throw new Error(INTERNAL_SECRET)
  }),
})

export type TestAppOptions = {
  database: DatabaseKind
  env?: Partial<Pick<Env, 'publicOrigin' | 'edgePublicUrl' | 'trustProxyHops' | 'oidc' | 'authThrottle'>>
  /** Fails for the first times, then works: what happens when a topic cannot be made at once. */
  onPersonCreated?: (person: Person) => Promise<void>
}

export async function startTestApp(options: TestAppOptions) {
  const { pool, stop } = await openDatabase(options.database)
  const lines: string[] = []
  const log = createLogger({ mode: 'production', logLevel: 'debug' }, { write: (line) => lines.push(line) })
  const clock = fixedClock(Date.now())
  const env = {
    publicOrigin: null,
    edgePublicUrl: 'https://edge.example/path',
    trustProxyHops: 1,
    oidc: null,
    authThrottle: true,
    port: 0,
    ...options.env,
  }
  const created: Person[] = []
  const accounts = createAccounts({
    pool,
    env,
    secret: 'a-secret-for-tests-that-is-long-enough',
    log,
    clock,
    random: seededRandom(7),
    onPersonCreated:
      options.onPersonCreated ??
      (async (person) => {
        created.push(person)
      }),
    onSessionEnded: async () => undefined,
  })
  let readiness: Readiness = { database: true, redis: true }
  const app = createHttpApp({
    polling: [],
    ingest: (_req, _res, next) => next(),
    egress: (_req, _res, next) => next(),
    env,
    log,
    metrics: createMetrics(),
    accounts,
    router: testRouter,
    knownSessions: new KnownSessions(clock),
    live: (_req, res, session) => {
      res.setHeader('Content-Type', 'text/event-stream').end(`data: ${session.userId}\n\n`)
    },
    readiness: async () => readiness,
    client: (_req, res) => {
      res.type('html').send('<!doctype html><title>client</title>')
    },
  })
  const server = createHttpServer(app)
  await listen(server, 0, '127.0.0.1')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    base,
    pool,
    clock,
    accounts,
    created,
    lines,
    setReadiness: (value: Readiness) => {
      readiness = value
    },
    visitor: (address?: string) => createVisitor(base, address),
    stop: async () => {
      await closeHttp(server, 1_000)
      await stop()
    },
  }
}

export type TestApp = Awaited<ReturnType<typeof startTestApp>>

/** A browser without a screen: keeps cookies, says where it comes from, may sit at any address. */
export function createVisitor(base: string, address?: string) {
  const cookies = new Map<string, string>()
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    if (address) headers.set('x-forwarded-for', address)
    const response = await fetch(base + path, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [name, value] = cookie.split(';')[0]!.split(/=(.*)/s) as [string, string]
      if (/max-age=0/i.test(cookie) || value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    get: (path: string, headers: Record<string, string> = {}) => send(path, { headers }),
    send,
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: base, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

/** The typed error in an answer, whichever envelope its route uses. */
export async function errorOf(response: Response): Promise<ErrorBody> {
  const body = await response.json()
  return body.error.data?.error ?? body.error
}

export const newcomer = (handle: string, over: Record<string, unknown> = {}) => ({
  name: handle,
  email: `${handle}@example.org`,
  password: 'correct horse battery',
  handle,
  ...over,
})
