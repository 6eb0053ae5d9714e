// Signal Feed as one of the measured servers: production mode in processes of its own, on a real Postgres (with fsync) and
// a Redis of its own, with people who follow one topic and are signed in.
import { createHmac, randomBytes } from 'node:crypto'
import pg from 'pg'
import { startPostgres } from '#scripts/testing/postgres-server.ts'
import { startProduct } from '#scripts/testing/product.ts'
import { openRedis } from '#scripts/testing/redis.ts'
import { createPoster, type System } from './systems.ts'

const SECRET = 'a-secret-of-the-benchmarks-that-nobody-needs'
const TOPIC = 'project/bench'
/** Below the limit of connections that one person may have. */
const CONNECTIONS_PER_PERSON = 40
const METADATA = { filling: 'x'.repeat(120) }

export type ProductOptions = { name?: string; env?: Record<string, string> } & (
  | { connections: number }
  | { people: number }
)

export async function startSignalFeed(options: ProductOptions): Promise<System> {
  const { name = 'signal-feed', env = {} } = options
  const people = 'people' in options ? options.people : Math.ceil(options.connections / CONNECTIONS_PER_PERSON)
  const postgres = await startPostgres({ fsync: true })
  const redis = await openRedis()
  const product = await startProduct({
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    AUTH_SECRET: SECRET,
    LOG_LEVEL: 'error',
    SSE_ADMISSIONS_PER_SECOND: '1000000',
    ...env,
  })
  const cookies = await signedInPeople(postgres.url, product.port, people)
  const poster = createPoster(product.port, '/api/trpc/activities.publish', {
    'content-type': 'application/json',
    cookie: cookies[0]!,
    'x-requested-with': 'bench',
  })
  return {
    name,
    reach: { port: product.port, path: '/api/events/activities', cookies },
    publish: (text) => poster.post(JSON.stringify({ topic: TOPIC, verb: 'posted', summary: text, metadata: METADATA })),
    read: () => poster.get(`/api/trpc/activities.getFeed?input=${encodeURIComponent('{}')}`),
    pid: process.pid,
    counted: /scripts\/start\.ts|cluster-worker\.ts/,
    stop: async () => {
      poster.close()
      await product.stop()
      await redis.stop()
      await postgres.stop()
    },
  }
}

/** Straight into the tables: hashing thousands of passwords is not what is measured. */
async function signedInPeople(url: string, port: number, count: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const tokens = Array.from({ length: count }, () => randomBytes(24).toString('hex'))
    const numbers = tokens.map((_, index) => index)
    await client.query(
      `insert into users (id, name, email, handle, role, created_at, updated_at)
       select 'bench-' || i, 'Bench ' || i, 'bench' || i || '@example.org', 'bench-' || i, 'member', now(), now() from unnest($1::int[]) i`,
      [numbers],
    )
    await client.query(
      `insert into sessions (id, user_id, token, expires_at, created_at, updated_at)
       select 'bench-' || i, 'bench-' || i, t, now() + interval '1 day', now(), now() from unnest($1::int[], $2::text[]) as s(i, t)`,
      [numbers, tokens],
    )
    await client.query(
      `with topic as (insert into topics (name, description, visibility, posting) values ($1, '', 'public', 'everyone') returning id),
            head as (insert into topic_heads (topic_id) select id from topic)
       insert into follows (user_id, topic_id) select 'bench-' || i, topic.id from topic, unnest($2::int[]) i`,
      [TOPIC, numbers],
    )
    return tokens.map((token) => {
      const signature = createHmac('sha256', SECRET).update(token).digest('base64')
      return `signal-feed-${port}.session_token=${encodeURIComponent(`${token}.${signature}`)}`
    })
  } finally {
    await client.end()
  }
}
