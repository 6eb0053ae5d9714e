// Own activities are read without being marked: counts leave them out, and so does the number that "mark all" reports.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { createActivityStore } from './activity-store.ts'
import { createReadStore } from './read-store.ts'
import { createTopicStore } from './topic-store.ts'

const ada = { id: 'ada', handle: 'ada', name: 'Ada' }
const ben = { id: 'ben', handle: 'ben', name: 'Ben' }

eachDatabase('read state', (open) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await open()
    for (const { id, name } of [ada, ben])
      await database.pool.query(
        `insert into users (id, name, email, handle) values ($1, $2, $1 || '@example.com', $1)`,
        [id, name],
      )
  })
  afterAll(() => database.stop())

  it('[FEED-7] what somebody wrote between the words of others never counts, marked, undone or unmarked', async () => {
    const reads = createReadStore(database.pool)
    const topics = createTopicStore(database.pool)
    const topic = (await topics.create(ada, {
      name: 'project/own',
      description: '',
      visibility: 'public',
      posting: 'everyone',
    }))!
    await topics.follow(ben.id, topic.id)
    const store = createActivityStore(database.pool)
    for (const writer of [ada, ben, ada, ben, ben, ada])
      await store.publishBatch([
        {
          topic: topic.name,
          actor: { kind: 'person', ...writer },
          source: 'web',
          input: { verb: 'posted', summary: '', metadata: {}, mentions: [] },
          idempotency: null,
        },
      ])
    const unread = async ({ id }: { id: string }) => (await reads.counts(id)).topics[topic.id] ?? 0
    expect([await unread(ada), await unread(ben)]).toEqual([3, 3])

    await reads.mark(ben.id, [{ topicId: topic.id, from: 1, to: 2 }], true)
    expect(await unread(ben)).toBe(2)
    const { added, marked } = await reads.markUpTo(ben.id, [{ topicId: topic.id, no: 5 }])
    expect([marked, await unread(ben)]).toEqual([1, 1])
    await reads.mark(ben.id, added, false)
    expect(await unread(ben)).toBe(2)
    await reads.mark(ben.id, [{ topicId: topic.id, from: 4, to: 4 }], false)
    expect(await unread(ben)).toBe(2)
    const page = { viewer: ben.id, before: null, limit: 50, filter: 'unread', topicId: topic.id, verb: null } as const
    expect((await store.page(page)).map(({ no }) => no)).toEqual([6, 3])
  })
})
