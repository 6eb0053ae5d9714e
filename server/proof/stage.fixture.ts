// What every proof needs: the product in processes of its own on a real Postgres and a Redis that can be taken away,
// somebody who writes to a few topics and readers who follow them.
import { expect } from 'vitest'
import { openDatabase } from '#scripts/testing/databases.ts'
import { startProduct } from '#scripts/testing/product.ts'
import { openRedis } from '#scripts/testing/redis.ts'
import { newPerson, type TestPerson } from '#server/testing/product.fixture.ts'
import { openReader, type Reader, type ReaderOptions } from './reader.fixture.ts'
import type { Post } from './writers.fixture.ts'

export { openReader } from './reader.fixture.ts'
export const EVENTUALLY = { timeout: 60_000, interval: 50 }
/** Processes start and end in these, on a machine that may be busy. */
export const PATIENT = 120_000

/** Postgres and Redis for one or more copies of the product. */
export async function openBackends() {
  const [database, redis] = await Promise.all([openDatabase('postgres'), openRedis()])
  return {
    redis,
    pool: database.pool,
    env: { DATABASE_URL: database.url!, REDIS_URL: redis.url },
    stop: async () => {
      await redis.stop()
      await database.stop()
    },
  }
}

export async function openStage(env: Record<string, string> = {}) {
  const backends = await openBackends()
  const product = await startProduct({ ...backends.env, ...env })
  return {
    product,
    redis: backends.redis,
    pool: backends.pool,
    stop: async () => {
      // How it stops politely is the subject of others.
      await product.kill()
      await product.stop()
      await backends.stop()
    },
  }
}

export type Cast = { writer: TestPerson; people: TestPerson[]; topics: string[] }

let casts = 0

/** A writer with topics of their own, and people who follow them all. */
export async function newCast(base: string, { topics: count = 3, people: crowd = 1 } = {}): Promise<Cast> {
  const name = `cast${++casts}`
  const person = (handle: string) => newPerson(base, `${name}-${handle}`)
  const writer = await person('writer')
  const people = await Promise.all(Array.from({ length: crowd }, (_, i) => person(`reader${i}`)))
  const topics = Array.from({ length: count }, (_, i) => `project/${name}-${i}`)
  for (const topic of topics) {
    await writer.call('topics.create', { name: topic })
    for (const reader of people) await reader.call('topics.follow', { topic })
  }
  return { writer, people, topics }
}

/** Reads, and has heard something. */
export async function openLiveReader(person: TestPerson, options: ReaderOptions): Promise<Reader> {
  const reader = await openReader(person, options)
  await isLive(reader)
  return reader
}

export const isLive = (reader: Reader) => expect.poll(() => reader.connection().state, EVENTUALLY).toBe('live')

/** On the reader's screen is what was published: all of it, each once, in the order of ids. */
export async function showsAll(reader: Reader, posts: Post[]): Promise<void> {
  const expected = posts.map(({ id }) => id).sort((a, b) => b - a)
  await expect.poll(async () => (await reader.everything()).map(({ id }) => id), EVENTUALLY).toEqual(expected)
}
