// The whole server in this process on a real database and a real Redis, for integration tests: people sign up over HTTP,
// call the API and read the stream like any client.
import type { AddressInfo } from 'node:net'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type DatabaseKind, openDatabase } from '#scripts/testing/databases.ts'
import { openRedis } from '#scripts/testing/redis.ts'
import { createAccounts } from '#server/accounts/accounts.ts'
import type { EdgeTarget } from '#server/edge-client/edge-caller.ts'
import { createVisitor, errorOf, newcomer } from '#server/http/app.fixture.ts'
import { createHttpApp } from '#server/http/app.ts'
import { egressRoute } from '#server/http/egress-route.ts'
import { ingestRoute } from '#server/http/ingest-route.ts'
import { closeHttp, createHttpServer, listen } from '#server/http/server.ts'
import { pollingRateLimit } from '#server/middleware/polling-rate-limit.ts'
import { connectRedis } from '#server/redis/connection.ts'
import { createAppRouter } from '#server/routers.ts'
import { createServices, type ServicesOptions } from '#server/services.ts'
import { createLogger } from '#server/telemetry/logger.ts'
import { createMetrics } from '#server/telemetry/metrics.ts'
import { seededRandom, systemClock } from '#shared/clock.ts'
import type { ErrorBody } from '#shared/errors.ts'

export const SECRET = 'a-secret-for-tests-that-is-long-enough'

type Options = Pick<ServicesOptions, 'privateWebhooks' | 'canary' | 'webhook'> & { edge?: EdgeTarget }

export async function startProduct(kind: DatabaseKind, options: Options = {}) {
  const database = await openDatabase(kind)
  const redisServer = await openRedis()
  const lines: string[] = []
  const log = createLogger({ mode: 'production', logLevel: 'debug' }, { write: (line) => lines.push(line) })
  const redis = await connectRedis({ socketPath: redisServer.socketPath }, log)
  const { pool } = database
  const metrics = createMetrics()
  const services = createServices({
    pool,
    redis,
    log,
    product: { mode: 'production', oidcName: null },
    admissionsPerSecond: 1_000,
    sseWindowMs: 5,
    pollCookie: { name: 'test-poll', secret: SECRET, secure: false },
    sourceSecret: SECRET,
    ...options,
    registry: metrics.registry,
    random: seededRandom(1),
  })
  await services.start()
  const env = {
    publicOrigin: null,
    edgePublicUrl: options.edge?.publicUrl ?? null,
    trustProxyHops: 0,
    oidc: null,
    authThrottle: false,
    port: 0,
  }
  const accounts = createAccounts({
    pool,
    env,
    log,
    clock: systemClock,
    random: seededRandom(2),
    secret: SECRET,
    onPersonCreated: services.ensurePersonalTopic,
    onSessionEnded: services.endSession,
  })
  const app = createHttpApp({
    env,
    log,
    accounts,
    metrics,
    router: createAppRouter(services),
    live: services.events.open,
    knownSessions: services.knownSessions,
    polling: pollingRateLimit(services.polling),
    ingest: ingestRoute(services.ingest),
    egress: egressRoute(services.egress),
    readiness: async () => ({ postgres: true }),
    client: (_req, res) => void res.type('html').send('client'),
  })
  const server = createHttpServer((req, res) => {
    if (!services.pollShortcut(req, res)) app(req, res)
  })
  await listen(server, 0, '127.0.0.1')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    pool,
    redis,
    redisServer,
    services,
    base,
    lines,
    person: (handle: string) => newPerson(base, handle),
    stop: async () => {
      await services.stop()
      await closeHttp(server, 500)
      redis.destroy()
      await redisServer.stop()
      await database.stop()
    },
  }
}

export type Product = Awaited<ReturnType<typeof startProduct>>
export type TestPerson = ReturnType<typeof createPerson>
type Visitor = ReturnType<typeof createVisitor>

/** Somebody who has signed up and in, on any server that runs. */
export async function newPerson(base: string, handle: string): Promise<TestPerson> {
  const visitor = createVisitor(base)
  const answer = await visitor.post('/api/auth/sign-up/email', newcomer(handle))
  if (!answer.ok) throw new Error(`sign-up of ${handle}: ${answer.status} ${await answer.text()}`)
  // Signing up says the same whether the address is new or not, so it does not sign anybody in.
  const { email, password } = newcomer(handle)
  await visitor.post('/api/auth/sign-in/email', { email, password })
  return createPerson(base, visitor)
}

function createPerson(base: string, visitor: Visitor) {
  const unwrap = async (answer: Response) => {
    if (!answer.ok) throw new CallFailed(answer.status, await errorOf(answer))
    return (await answer.json()).result.data
  }
  return {
    visitor,
    query: async (path: string, input?: unknown) =>
      unwrap(
        await visitor.get(
          `/api/trpc/${path}${input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`}`,
        ),
      ),
    call: async (path: string, input?: unknown) => unwrap(await visitor.post(`/api/trpc/${path}`, input ?? {})),
    /** The error that a call gives; fails when it gives none. */
    refusal: async (path: string, input: unknown, how: 'query' | 'call' = 'call'): Promise<CallFailed> => {
      const answer =
        how === 'call'
          ? await visitor.post(`/api/trpc/${path}`, input as object)
          : await visitor.get(`/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`)
      if (answer.ok) throw new Error(`${path} was not refused`)
      return new CallFailed(answer.status, await errorOf(answer))
    },
    stream: (options: { cursor?: string | null; follows?: number } = {}) => openStream(base, visitor, options),
  }
}

export class CallFailed extends Error {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(`${status} ${body.code}: ${body.message}`)
    this.status = status
    this.body = body
  }
}

/** An open stream. `until` waits for an event; what came is kept in `events`. */
export async function openStream(
  base: string,
  visitor: Visitor,
  { cursor, follows }: { cursor?: string | null; follows?: number },
) {
  const abort = new AbortController()
  const query = new URLSearchParams()
  if (follows !== undefined) query.set('follows', String(follows))
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${base}/api/events/activities?${query}`, {
    headers: { cookie, ...(cursor ? { 'Last-Event-ID': cursor } : {}) },
    signal: abort.signal,
  })
  const events: EventSourceMessage[] = []
  let wake = () => {}
  const parser = createParser({
    onEvent: (event) => {
      events.push(event)
      wake()
    },
  })
  const ended = (async () => {
    const decoder = new TextDecoder()
    for await (const bytes of answer.body!) parser.feed(decoder.decode(bytes, { stream: true }))
  })().catch(() => {
    // Cut by us or by the server: what arrived is in `events`.
  })
  return {
    answer,
    events,
    data: (name: string) => events.filter((event) => event.event === name).map((event) => JSON.parse(event.data)),
    async until(
      test: (event: {
        name: string
        data: Record<string, unknown>
        activityId: number | undefined
        id: string | undefined
      }) => boolean,
    ) {
      for (let seen = 0; ; ) {
        for (; seen < events.length; seen++) {
          const event = events[seen]!
          const data = JSON.parse(event.data)
          const read = { name: event.event ?? '', data, activityId: data.activity?.id, id: event.id }
          if (test(read)) return read
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    async close() {
      abort.abort()
      await ended
    },
    ended,
  }
}
