// People who write all the time, as impatient clients do: whatever is not answered is sent again with the same key, and
// whatever was answered is remembered, so that screens can be compared with it afterwards.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { TestPerson } from '#server/testing/product.fixture.ts'

/** Between two posts of one writer: several hundred a minute each, and the machine stays free to serve. */
const PAUSE_MS = 20
const RETRY_MS = 50

export type Post = { id: number; topic: string; summary: string }

/** Sent until it is answered; stored once, however often that is. */
async function publish(person: TestPerson, topic: string, summary: string): Promise<Post> {
  const key = randomUUID()
  for (;;) {
    const post = await tryToPublish(person, topic, summary, key)
    if (post) return post
    await wait(RETRY_MS)
  }
}

/** Null: nobody answered, or not yet; whether it is stored is not known. A refusal is a mistake of the test. */
export async function tryToPublish(
  person: TestPerson,
  topic: string,
  summary: string,
  idempotencyKey: string = randomUUID(),
): Promise<Post | null> {
  try {
    const body = { topic, verb: 'posted', summary, idempotencyKey }
    const answer = await person.visitor.post('/api/trpc/activities.publish', body)
    if (answer.ok) return { id: (await answer.json()).result.data.id, topic, summary }
    if (answer.status !== 503) throw new Refused(`publish: ${answer.status} ${await answer.text()}`)
  } catch (error) {
    if (error instanceof Refused) throw error
  }
  return null
}

class Refused extends Error {}

export type Writers = ReturnType<typeof startWriters>

/** One writer for each topic, posting one after the other until they are stopped. */
export function startWriters(person: TestPerson, topics: string[]) {
  const posts: Post[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  let writing = true
  const write = async (topic: string) => {
    for (let count = 1; writing; count++) {
      posts.push(await publish(person, topic, `${topic} ${count}`))
      for (const one of waiting) if (posts.length >= one.count) one.resolve()
      await wait(PAUSE_MS)
    }
  }
  const done = Promise.all(topics.map(write))
  return {
    /** Answered so far. */
    posts,
    /** Resolves when so many more have been answered. */
    more: (count: number) =>
      Promise.race([
        new Promise<void>((resolve) => waiting.push({ count: posts.length + count, resolve })),
        done.then(() => undefined),
      ]),
    /** Resolves with everything, when all that was begun has been answered. */
    async stop(): Promise<Post[]> {
      writing = false
      await done
      return posts
    },
  }
}
