// What lies below a topic's floor leaves in batches, and nothing that can be asked for refers to it any more.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase } from '#scripts/testing/databases.ts'
import { type Product, startProduct, type TestPerson } from '#server/testing/product.fixture.ts'
import { createFactStore } from './fact-store.ts'
import { createRetention } from './retention.ts'

type Item = { id: number; summary: string; seq: number; no: number }

eachDatabase('retention', (_open, kind) => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson

  beforeAll(async () => {
    product = await startProduct(kind)
    ada = await product.person('ada')
    ben = await product.person('ben')
    for (const name of ['project/old', 'project/young']) {
      await ada.call('topics.create', { name })
      await ben.call('topics.follow', { topic: name })
    }
  })
  afterAll(() => product.stop())

  const post = (topic: string, summary: string): Promise<Item> =>
    ada.call('activities.publish', { topic, verb: 'posted', summary })
  const ids = async () => {
    const { rows } = await product.pool.query('select id from activities order by id')
    return rows.map(({ id }) => Number(id))
  }

  it('[FEED-5] what is below the floor is gone from every path, what is above stays with its numbers', async () => {
    const old: Item[] = []
    for (let no = 1; no <= 7; no++) old.push(await post('project/old', `Wombat ${no} for @ben`))
    const young = await post('project/young', 'Wombat for @ben')
    for (const { id } of [old[0]!, old[6]!]) {
      await ben.call('activities.react', { id, emoji: '👍' })
      const root = await ben.call('activities.comments.add', { activity: id, text: 'Which one, @ada?' })
      await ada.call('activities.comments.add', { activity: id, parent: root.id, text: 'This one.' })
    }
    await product.pool.query(`update activities set published_at = '2020-01-01' where id = any($1)`, [
      old.slice(0, 5).map(({ id }) => id),
    ])
    await createFactStore(product.pool).raiseFloors(new Date('2021-01-01'), 100)
    const retention = createRetention(product.pool)
    const removed: number[] = []
    do removed.push(await retention.removeBelowFloors(2))
    while (removed.at(-1)! > 0)
    expect(removed).toEqual([2, 2, 1, 0])

    const kept = [old[5]!, old[6]!, young]
    expect(await ids()).toEqual(kept.map(({ id }) => id))
    const idsOf = (items: { id: number }[]) => items.map(({ id }) => id).sort((a, b) => a - b)
    for (const filter of ['all', 'unread', 'mentions'])
      expect(idsOf((await ben.query('activities.getFeed', { filter })).items)).toEqual(idsOf(kept))
    const { hits } = await ben.query('search.query', { q: 'wombat' })
    expect(idsOf(hits.map(({ item }: { item: Item }) => item))).toEqual(idsOf(kept))
    expect((await ben.refusal('activities.get', { id: old[0]!.id }, 'query')).status).toBe(404)
    const { rows } = await product.pool.query('select activity_id from activity_mentions order by activity_id')
    expect(rows.map(({ activity_id }) => Number(activity_id))).toEqual(idsOf(kept))
    for (const table of ['reactions', 'conversations', 'comments', 'notices']) {
      const about = await product.pool.query(`select distinct activity_id from ${table}`)
      expect([table, ...about.rows.map(({ activity_id }) => Number(activity_id))]).toEqual([table, old[6]!.id])
    }
    expect(await ben.query('activities.unreadCounts')).toMatchObject({ total: 3 })
    // Marking something that is gone changes nothing.
    expect(await ben.call('activities.markRead', { ids: [old[0]!.id] })).toMatchObject({ total: 3 })

    const next = await post('project/old', 'And on.')
    // Six events of the conversations came in between.
    expect([next.seq, next.no]).toEqual([old[6]!.seq + 7, 8])
  })

  it('[FEED-5] publishing goes on meanwhile, and only what is below the floor goes', async () => {
    const many = Array.from({ length: 60 }, (_, i) => i)
    await Promise.all(many.map((i) => post('project/young', `Numbat ${i}`)))
    await product.pool.query(
      `update topic_heads set floor_no = 30 from topics t where t.id = topic_id and t.name = 'project/young'`,
    )
    const retention = createRetention(product.pool)
    const sweeping = (async () => {
      while ((await retention.removeBelowFloors(3)) > 0);
    })()
    await Promise.all([sweeping, ...many.map((i) => post('project/young', `Newer ${i}`))])
    const { rows } = await product.pool.query(
      `select a.no from activities a join topics t on t.id = a.topic_id where t.name = 'project/young' order by a.no`,
    )
    expect(rows.map(({ no }) => Number(no))).toEqual(Array.from({ length: 91 }, (_, i) => 31 + i))
  })
})
