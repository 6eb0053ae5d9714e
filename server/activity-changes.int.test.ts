// Editing and deleting activities, from the API to the stream, on both databases and a real Redis, over real HTTP.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase } from '#scripts/testing/databases.ts'
import type { ActivityChange } from '#shared/activity-change.ts'
import type { UnreadCounts, UpdateEvent } from '#shared/live-events.ts'
import { createFactStore } from './db/fact-store.ts'
import { createRetention } from './db/retention.ts'
import { type Product, startProduct, type TestPerson } from './testing/product.fixture.ts'

const post = (topic: string, summary: string, more: object = {}) => ({ topic, verb: 'posted', summary, ...more })
const OPEN = 'project/open'

eachDatabase('changes of activities', (_open, kind) => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson
  let eve: TestPerson

  beforeAll(async () => {
    product = await startProduct(kind)
    ada = await product.person('ada')
    ben = await product.person('ben')
    eve = await product.person('eve')
    await ada.call('topics.create', { name: OPEN, visibility: 'public' })
    await ada.call('topics.create', { name: 'team/secret', visibility: 'private' })
    await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
    for (const topic of [OPEN, 'team/secret']) await ben.call('topics.follow', { topic })
    await eve.call('topics.follow', { topic: OPEN })
  })
  afterAll(() => product.stop())

  const publish = async (person: TestPerson, summary: string, topic = OPEN): Promise<number> =>
    (await person.call('activities.publish', post(topic, summary))).id
  const counts = (person: TestPerson): Promise<UnreadCounts> => person.query('activities.unreadCounts')
  const feedIds = async (person: TestPerson, input: object = {}): Promise<number[]> =>
    (await person.query('activities.getFeed', input)).items.map(({ id }: { id: number }) => id)
  const changeOf = (id: number) => (event: { name: string; data: Record<string, unknown> }) => {
    const change = (event.data as Partial<UpdateEvent>).change
    return event.name === 'update' && change?.kind === 'activity' && change.activity === id
  }
  const markAll = async (person: TestPerson) => {
    const { heads } = await counts(person)
    await person.call('activities.markAllRead', { upTo: heads })
  }

  it('[FEED-3] its author edits an activity: everybody hears of it once, with absolute words and a version', async () => {
    const id = await publish(ben, 'Frist post, @eve')
    const stream = await eve.stream()
    await stream.until(({ name }) => name === 'beat')
    const change: ActivityChange = await ben.call('activities.edit', { id, summary: 'First post, @ada' })
    expect(change).toMatchObject({
      activity: id,
      version: 1,
      words: { summary: 'First post, @ada', mentions: ['ada'] },
    })
    const event = await stream.until(changeOf(id))
    expect(event.data.change).toEqual(change)
    const item = await eve.query('activities.get', { id })
    expect(item).toMatchObject({ summary: 'First post, @ada', edited: { version: 1, by: null }, mentions: ['ada'] })
    expect(await feedIds(eve, { filter: 'mentions' })).not.toContain(id)
    expect(await feedIds(ada, { filter: 'mentions' })).toContain(id)
    const hits = (await eve.query('search.query', { q: 'first post' })).hits
    expect(hits.map((hit: { item: { id: number } }) => hit.item.id)).toContain(id)
    expect((await eve.query('search.query', { q: 'frist' })).hits).toEqual([])

    // An owner of the topic may, and it shows; the same words again change nothing.
    const byOwner = await ada.call('activities.edit', { id, summary: 'First post.' })
    expect(byOwner).toMatchObject({ version: 2, words: { edited: { version: 2, by: { handle: 'ada' } } } })
    expect(await ada.call('activities.edit', { id, summary: 'First post.' })).toEqual(byOwner)
    expect((await eve.refusal('activities.edit', { id, summary: 'mine' })).status).toBe(403)
    expect((await ben.refusal('activities.edit', { id, summary: '   ' })).body).toMatchObject({ field: 'summary' })
    expect((await ben.refusal('activities.edit', { id, summary: 'x'.repeat(4_001) })).status).toBe(400)
    await stream.close()
  })

  it('[FEED-3] [READ-5] a deleted activity is gone everywhere and from all counts', async () => {
    await markAll(ben)
    const { id: benId } = await ben.query('me.get')
    const before = await counts(ben)
    const first = await publish(ada, 'stays one')
    const id = await publish(ada, 'ephemeral words, @ben')
    const last = await publish(ada, 'stays two')
    const { comment } = await eve.call('activities.comments.add', { activity: id, text: 'Look, @ben' })
    await eve.call('activities.react', { id, emoji: '👍' })
    const rung = (await ben.query('bell.list', {})).unread
    expect(await counts(ben)).toMatchObject({ total: before.total + 3, mentions: before.mentions + 1 })
    const stream = await ben.stream()
    await stream.until(({ name }) => name === 'beat')

    expect((await eve.refusal('activities.delete', { id })).status).toBe(403)
    const gone: ActivityChange = await ada.call('activities.delete', { id })
    expect(gone).toMatchObject({ activity: id, words: null, gone: 'author', rang: expect.arrayContaining([benId]) })
    expect((await stream.until(changeOf(id))).data.change).toEqual(gone)
    const after = await counts(ben)
    expect(after).toMatchObject({ total: before.total + 2, mentions: before.mentions })
    expect(Object.values(after.deletions)).toHaveLength(1)
    for (const input of [{}, { filter: 'unread' }, { topic: OPEN }, { filter: 'mentions' }, { verb: 'posted' }])
      expect([input, (await feedIds(ben, input)).includes(id)]).toEqual([input, false])
    expect((await feedIds(ben, { filter: 'unread' })).slice(0, 2)).toEqual([last, first])
    expect((await ben.query('search.query', { q: 'ephemeral' })).hits).toEqual([])
    expect((await ben.query('bell.list', {})).unread).toBe(rung - 1)
    const missing = await ben.refusal('activities.get', { id: 999_999_999 }, 'query')
    for (const [path, input, how] of [
      ['activities.get', { id }, 'query'],
      ['activities.comments.list', { activity: id }, 'query'],
      ['activities.comments.add', { activity: id, text: 'late' }, 'call'],
      ['activities.react', { id, emoji: '🎉' }, 'call'],
      ['activities.edit', { id, summary: 'again' }, 'call'],
      ['activities.delete', { id }, 'call'],
    ] as const) {
      const refused = await ben.refusal(path, input, how)
      expect([path, refused.status, refused.message]).toEqual([path, 404, missing.message])
    }
    expect((await ben.refusal('activities.comments.edit', { id: comment.id, text: 'x' })).status).toBe(404)
    // Its answer may have been lost: whoever deleted it may say so again.
    expect(await ada.call('activities.delete', { id })).toMatchObject({ activity: id, gone: 'author' })
    // Marks that were on their way change nothing.
    expect(await ben.call('activities.markRead', { ids: [id] })).toMatchObject({ total: after.total })
    expect(await ben.call('activities.markUnread', { ids: [id] })).toMatchObject({ total: after.total })
    const { marked } = await ben.call('activities.markAllRead', { upTo: after.heads })
    expect(marked).toBe(after.total)
    expect((await counts(ben)).total).toBe(0)
    await stream.close()
  })

  it('[FEED-3] [LIVE-2] whoever comes back hears of a deletion and never sees what was deleted', async () => {
    const page = await ben.query('activities.getFeed', {})
    const id = await publish(ada, 'unseen words')
    await ada.call('activities.delete', { id })
    const marker = await publish(ada, 'marker')
    const polled = await ben.query('activities.getFeed', { since: page.liveCursor })
    await expect.poll(async () => (await ben.query('activities.getFeed', {})).items[0].id).toBe(marker)
    const stream = await ben.stream({ cursor: page.liveCursor })
    await stream.until(({ activityId }) => activityId === marker)
    const seqs = stream.events.filter(({ id: at }) => at).map(({ data }) => JSON.parse(data).seq as number)
    expect(seqs.filter(Number)).toEqual(Array.from({ length: 3 }, (_, i) => seqs.find(Number)! + i))
    expect(JSON.stringify(polled.items)).not.toContain('unseen words')
    const places = [...polled.items, ...polled.updates].map(({ seq }: { seq: number }) => seq)
    expect(new Set(places).size).toBe(places.length)
    await stream.close()
  })

  it('[FEED-3] [DLV-1] a log that is filled again has a tombstone in the place of what was deleted', async () => {
    const id = await publish(ada, 'not to be told again')
    await ada.call('activities.delete', { id })
    await product.redis.sendCommand(['FLUSHALL'])
    await product.services.relay.reconcile()
    const entries = JSON.stringify(await product.redis.sendCommand(['XRANGE', '{activities}:stream', '-', '+']))
    expect(entries).not.toContain('not to be told again')
    expect(entries).toContain(`\\"activity\\":${id},`)
    const later = await publish(ada, 'after the flood')
    await expect.poll(async () => (await counts(ben)).heads).toEqual((await counts(ben)).heads)
    expect(await feedIds(ben)).toContain(later)
  })

  it('[FEED-9] publishing again what was deleted says so, and stores nothing', async () => {
    const input = post(OPEN, 'once only', { idempotencyKey: `once-${kind}` })
    const { id } = await ben.call('activities.publish', input)
    await ben.call('activities.delete', { id })
    const again = await ben.refusal('activities.publish', input)
    expect([again.status, again.body.code]).toEqual([404, 'DELETED'])
    const { rows } = await product.pool.query(`select 1 from activities where summary = 'once only'`)
    expect(rows).toEqual([])
    const { secret } = await ada.call('apiKeys.create', { name: 'Tool', topics: [OPEN] })
    const send = () =>
      fetch(`${product.base}/api/ingest`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          'idempotency-key': 'batch-1',
        },
        body: JSON.stringify([
          { topic: OPEN, verb: 'ran', summary: 'one' },
          { topic: OPEN, verb: 'ran', summary: 'two' },
        ]),
      })
    const [one, two] = (await (await send()).json()).activities
    // What a tool reported has no author here: owners of the topic may delete it.
    expect((await ben.refusal('activities.delete', { id: one.id })).status).toBe(403)
    expect(await ada.call('activities.delete', { id: one.id })).toMatchObject({ gone: 'owner' })
    const repeat = await send()
    expect(repeat.status).toBe(200)
    expect((await repeat.json()).activities).toEqual([
      { id: one.id, replayed: true, deleted: true },
      { ...two, replayed: true },
    ])
  })

  it('[FEED-2] [FEED-3] nobody outside a private topic can tell an activity from none', async () => {
    const id = await publish(ben, 'whisper', 'team/secret')
    const missing = await eve.refusal('activities.delete', { id: 999_999_999 })
    for (const [path, input] of [
      ['activities.delete', { id }],
      ['activities.edit', { id, summary: 'loud' }],
    ] as const) {
      const refused = await eve.refusal(path, input)
      expect([path, refused.status, refused.message]).toEqual([path, 404, missing.message])
    }
    // Also its author no longer, once they have left.
    await ada.call('topics.members.remove', { topic: 'team/secret', handle: 'ben' })
    expect((await ben.refusal('activities.delete', { id })).status).toBe(404)
    expect(await ada.query('activities.get', { id })).toMatchObject({ summary: 'whisper' })
  })

  it('[FEED-3] whoever deletes and comments at the same moment leaves nothing half behind', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const id = await publish(ada, `contested ${turn}`)
      const said = Array.from({ length: 6 }, (_, i) =>
        i === 3
          ? ada.call('activities.delete', { id })
          : (i % 2 ? ben : eve).call('activities.comments.add', { activity: id, text: `@ada ${i}` }),
      )
      const results = await Promise.allSettled(said)
      expect(results[3]!.status).toBe('fulfilled')
      for (const table of ['conversations', 'comments', 'notices', 'reactions'])
        expect([table, (await product.pool.query(`select 1 from ${table} where activity_id = $1`, [id])).rows]).toEqual(
          [table, []],
        )
    }
    expect(product.lines.filter((line) => line.includes('"level":50'))).toEqual([])
  })

  it('[FEED-5] floors pass deleted numbers, and what is left of them goes too', async () => {
    await ada.call('topics.create', { name: 'project/short', visibility: 'public' })
    const ids: number[] = []
    for (const words of ['a', 'b', 'c', 'd']) ids.push(await publish(ada, words, 'project/short'))
    for (const at of [0, 2, 3]) await ada.call('activities.delete', { id: ids[at] })
    await product.pool.query(
      `update activities set published_at = published_at - interval '40 days' where topic_id = (select id from topics where name = 'project/short')`,
    )
    const facts = createFactStore(product.pool)
    const retention = createRetention(product.pool)
    const topic = async () =>
      (
        await product.pool.query(
          `select h.no, h.floor_no, (select count(*) from deleted_activities d where d.topic_id = h.topic_id) as left
           from topic_heads h join topics t on t.id = h.topic_id where t.name = 'project/short'`,
        )
      ).rows[0]
    const age = () =>
      product.pool.query(`update deleted_activities set published_at = published_at - interval '40 days' where no < 4`)
    await age()
    const before = new Date(Date.now() - 30 * 24 * 3_600_000)
    while ((await facts.raiseFloors(before, 100)) > 0);
    while ((await retention.forgetDeleted(100)) > 0);
    expect(Object.values(await topic()).map(Number)).toEqual([4, 3, 1])
  })
})
