// The server is killed while people write and read, and starts again where it was.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hurriedClock } from './hurried-clock.fixture.ts'
import { isLive, newCast, openLiveReader, openStage, PATIENT, showsAll } from './stage.fixture.ts'
import { type Post, startWriters, tryToPublish } from './writers.fixture.ts'

describe('a server that is killed', { timeout: PATIENT }, () => {
  let stage: Awaited<ReturnType<typeof openStage>>
  beforeAll(async () => {
    stage = await openStage()
  }, PATIENT)
  afterAll(() => stage.stop())

  it('[LIVE-2] [DLV-1] SIGKILL in a burst: what was answered is there, what was not is there at most once', async () => {
    const { product, pool } = stage
    const { writer, people, topics } = await newCast(product.url)
    const reader = await openLiveReader(people[0]!, { base: product.url, clock: hurriedClock(20) })
    const writers = startWriters(writer, topics)
    await writers.more(30)
    // Sent once: it dies while it answers them, with the rest under way, stored or not.
    const answered: Post[] = []
    let killed: Promise<void> | null = null
    const once = Array.from({ length: 300 }, async (_, i) => {
      const post = await tryToPublish(writer, topics[i % topics.length]!, `once ${i}`)
      if (post && answered.push(post) === 20) killed = product.kill()
    })
    await Promise.all(once)
    await killed
    expect(killed).not.toBeNull()
    await product.restart()
    await isLive(reader)
    await writers.more(30)
    const posts = await writers.stop()

    const stored = (await pool.query<Post>('select id::int, summary from activities')).rows
    const summaries = stored.map(({ summary }) => summary)
    expect(summaries).toEqual([...new Set(summaries)])
    expect(summaries).toEqual(expect.arrayContaining([...posts, ...answered].map(({ summary }) => summary)))
    expect(summaries.filter((summary) => !summary.startsWith('once'))).toHaveLength(posts.length)
    await showsAll(reader, stored)
    expect(reader.losses()).toMatchObject({ gaps: 0, repeats: 0 })
    reader.stop()
  })
})
