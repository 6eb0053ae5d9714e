// The way of an activity from the API to the stream, on both databases and a real Redis, over real HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachDatabase, openDatabase } from '#scripts/testing/databases.ts'
import type { PageQuery } from './app/ports.ts'
import { errorOf } from './http/app.fixture.ts'
import { type Product, startProduct, type TestPerson } from './testing/product.fixture.ts'

const post = (topic: string, summary: string, more: object = {}) => ({ topic, verb: 'posted', summary, ...more })

eachDatabase('feed', (_open, kind) => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson
  let eve: TestPerson

  beforeAll(async () => {
    product = await startProduct(kind)
    ada = await product.person('ada')
    ben = await product.person('ben')
    eve = await product.person('eve')
    await ada.call('topics.create', { name: 'project/open', visibility: 'public' })
    await ada.call('topics.create', { name: 'team/secret', visibility: 'private' })
    await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
    await ben.call('topics.follow', { topic: 'project/open' })
    await ben.call('topics.follow', { topic: 'team/secret' })
    await eve.call('topics.follow', { topic: 'project/open' })
  })
  afterAll(() => product.stop())

  it('[FEED-1] numbers have no holes and follow the order of commits under concurrent publishes', async () => {
    const sent = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (i % 2 ? ada : ben).call('activities.publish', post('project/open', `burst ${i}`)),
      ),
    )
    const { rows } = await product.pool.query(
      "select a.id, a.seq, a.no from activities a join topics t on t.id = a.topic_id where t.name = 'project/open' order by a.no",
    )
    expect(sent).toHaveLength(60)
    expect(rows.map((row) => Number(row.no))).toEqual(rows.map((_, i) => i + 1))
    const seqs = rows.map((row) => Number(row.seq))
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
    const ids = rows.map((row) => Number(row.id))
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    const { rows: events } = await product.pool.query(
      "select e.seq from events e join topics t on t.id = e.topic_id where t.name = 'project/open' order by e.seq",
    )
    expect(events.map((row) => Number(row.seq))).toEqual(events.map((_, i) => i + 1))
  })

  it('[FEED-9] the same key stores once and gives the first result, also at the same moment; another body is 422', async () => {
    const body = post('project/open', 'once', { idempotencyKey: 'same', metadata: { b: 1, a: [2] } })
    const answers = await Promise.all(Array.from({ length: 8 }, () => ada.call('activities.publish', body)))
    expect(new Set(answers.map((one) => one.id)).size).toBe(1)
    const again = await ada.call('activities.publish', { ...body, metadata: { a: [2], b: 1 } })
    expect(again.id).toBe(answers[0].id)
    const refused = await ada.refusal('activities.publish', { ...body, summary: 'other' })
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([422, 'KEY_REUSED', 'idempotencyKey'])
    const others = await ben.call('activities.publish', body)
    expect(others.id).not.toBe(answers[0].id)
  })

  it('[FEED-9] the key may come as a header, and a bad one is refused by name', async () => {
    const publish = (key: string, summary: string) =>
      ada.visitor.post('/api/trpc/activities.publish', post('project/open', summary), { 'idempotency-key': key })
    const [first, second] = [await publish('by-header', 'once'), await publish('by-header', 'once')]
    expect((await second.json()).result.data.id).toBe((await first.json()).result.data.id)
    expect((await publish('by-header', 'twice')).status).toBe(422)
    const refused = await publish('two words', 'x')
    expect([refused.status, (await errorOf(refused)).field]).toEqual([400, 'Idempotency-Key'])
  })

  it('[FEED-9] bad input is refused with the field named and nothing stored', async () => {
    const count = async () => (await product.pool.query('select count(*) from activities')).rows[0].count
    const before = await count()
    const cases: [string, object, string][] = [
      ['activities.publish', post('project/open', 'x', { verb: 'DROP TABLE' }), 'verb'],
      ['activities.publish', post('Not A Topic', 'x'), 'topic'],
      ['activities.publish', post('project/open', 'x'.repeat(4_001)), 'summary'],
      ['activities.publish', post('project/open', 'x', { metadata: { big: 'y'.repeat(17_000) } }), 'metadata'],
      ['activities.publish', post('project/open', 'a\u0000b'), 'summary'],
      [
        'activities.publish',
        post('project/open', 'x', { object: { type: 'a', id: 'b', url: 'javascript:alert(1)' } }),
        'object.url',
      ],
      ['activities.publish', post('project/open', 'x', { surprise: 1 }), 'surprise'],
      ['activities.markRead', { ids: ['1; drop table users'] }, 'ids.0'],
    ]
    for (const [path, input, field] of cases) {
      const { status, body } = await ada.refusal(path, input)
      expect([path, status, body.code, body.field]).toEqual([path, 400, 'INVALID_INPUT', field])
    }
    for (const cursor of ['p1_', 'p1_0', 'x', "p1_1' or 1=1", 'p1_zzzzzzzzzzzzz']) {
      const { status, body } = await ada.refusal('activities.getFeed', { cursor }, 'query')
      expect([status, body.code, body.field]).toEqual([400, 'BAD_CURSOR', 'cursor'])
    }
    expect(await count()).toBe(before)
    expect(product.lines.filter((line) => line.includes('"level":50'))).toEqual([])
  })

  it('[FEED-9] script-like and SQL-like text is kept as text', async () => {
    const summary = `<script>alert(1)</script> '; drop table users; -- \u202e مرحبا 👩‍🚀`
    const { id } = await ada.call('activities.publish', post('project/open', summary))
    expect((await ben.query('activities.get', { id })).summary).toBe(summary)
  })

  it('[FEED-6] pages go through everything once, newest first, and say where live goes on', async () => {
    const seen: number[] = []
    let cursor: string | null = null
    do {
      const page: { items: { id: number }[]; nextCursor: string | null; liveCursor: string; heads: object } =
        await ben.query('activities.getFeed', { limit: 7, cursor })
      seen.push(...page.items.map(({ id }) => id))
      expect(page.liveCursor).toMatch(/^[a-z0-9]+\.\d+-\d+$/)
      cursor = page.nextCursor
    } while (cursor)
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a))
    const { rows } = await product.pool.query(
      `select count(*) from activities a join follows f on f.topic_id = a.topic_id join users u on u.id = f.user_id where u.handle = 'ben'`,
    )
    expect(seen).toHaveLength(Number(rows[0].count))
  })

  it('[FEED-7] marks, counts and undo agree with the unread filter', async () => {
    const total = async () => {
      const counts = await eve.query('activities.unreadCounts')
      const page = await eve.query('activities.getFeed', { filter: 'unread', limit: 100 })
      expect(page.items).toHaveLength(counts.total)
      expect(page.items.every((item: { read: boolean }) => !item.read)).toBe(true)
      return counts
    }
    for (let i = 0; i < 5; i++) await ada.call('activities.publish', post('project/open', `to read ${i}`))
    const before = await total()
    expect(before.total).toBeGreaterThanOrEqual(5)
    const page = await eve.query('activities.getFeed', { limit: 3 })
    const ids = page.items.map(({ id }: { id: number }) => id)
    await eve.call('activities.markRead', { ids })
    expect((await total()).total).toBe(before.total - 3)
    await eve.call('activities.markUnread', { ids: [ids[0]] })
    expect((await total()).total).toBe(before.total - 2)
    const all = await eve.call('activities.markAllRead', { upTo: before.heads })
    expect([all.marked, (await total()).total]).toEqual([before.total - 2, 0])
    await eve.call('activities.undoMarkAll', { undo: all.undo })
    expect((await total()).total).toBe(before.total - 2)
    const twice = await eve.refusal('activities.undoMarkAll', { undo: all.undo })
    expect(twice.body.code).toBe('UNDO_EXPIRED')
  })

  it('[LIVE-1] what one publishes the other sees live, with position, topic and seq', async () => {
    const stream = await ben.stream()
    expect(stream.answer.headers.get('content-type')).toContain('text/event-stream')
    expect(stream.answer.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(stream.answer.headers.get('x-accel-buffering')).toBe('no')
    await stream.until(({ name }) => name === 'beat')
    const sent = await ada.call('activities.publish', post('project/open', 'hello @ben'))
    const event = await stream.until(({ activityId }) => activityId === sent.id)
    const { read: _read, talk: _talk, ...activity } = sent
    expect(event.data).toEqual({ topic: sent.topic.id, seq: sent.seq, activity })
    expect(event.id).toMatch(/^[a-z0-9]+\.\d+-\d+$/)
    expect(sent.mentions).toEqual(['ben'])
    await stream.close()
  })

  it('[LIVE-2] resume gives exactly what was missed, then goes on live', async () => {
    const { liveCursor } = await ben.query('activities.getFeed', { limit: 1 })
    const missed: number[] = []
    for (let i = 0; i < 10; i++)
      missed.push((await ada.call('activities.publish', post('team/secret', `missed ${i}`))).id)
    const last = missed.at(-1)
    const stream = await ben.stream({ cursor: liveCursor })
    const during = (await ada.call('activities.publish', post('project/open', 'seam'))).id
    await stream.until(({ activityId }) => activityId === during)
    const got = stream.data('activity').map(({ activity }) => activity.id)
    expect(got).toEqual([...missed, during])
    expect(stream.data('control')).toEqual([])

    const polled = await ben.query('activities.getFeed', { since: liveCursor })
    expect(polled.items.map(({ id }: { id: number }) => id)).toEqual([during, last, ...missed.slice(0, -1).reverse()])
    expect(polled.reset).toBeUndefined()
    await stream.close()
  })

  it('[LIVE-2] another epoch, a too old or a malformed position: reset or 400, never silence', async () => {
    const { liveCursor } = await ben.query('activities.getFeed', { limit: 1 })
    const [epoch] = liveCursor.split('.')
    const foreign = await ben.stream({ cursor: 'eotherlog1.1794993193658-0' })
    expect((await foreign.until(({ name }) => name === 'control')).data).toMatchObject({
      type: 'reset',
      reason: 'new-epoch',
    })
    await foreign.close()
    const old = await ben.stream({ cursor: `${epoch}.1000-0` })
    expect((await old.until(({ name }) => name === 'control')).data).toMatchObject({
      type: 'reset',
      reason: 'position-too-old',
    })
    await old.close()
    const bad = await ben.visitor.get('/api/events/activities', { 'last-event-id': 'nonsense' })
    expect([bad.status, (await bad.json()).error.field]).toEqual([400, 'Last-Event-ID'])
    expect((await ben.query('activities.getFeed', { since: `${epoch}.1000-0` })).reset).toBe(true)
  })

  it('[LIVE-2] a stale list of follows is corrected first', async () => {
    const stream = await ben.stream({ follows: 1 })
    const { data } = await stream.until(() => true)
    expect(data).toMatchObject({ type: 'follows' })
    expect((data.topics as number[]).length).toBe(3)
    await stream.close()
  })

  it('[LIVE-2] signing out ends the streams of that session and no other', async () => {
    const guest = await product.person('guest')
    const elsewhere = await ada.stream()
    const stream = await guest.stream()
    await stream.until(({ name }) => name === 'beat')
    await guest.visitor.post('/api/auth/sign-out', {})
    await stream.ended
    await ada.call('activities.publish', post('project/open', 'still there'))
    await elsewhere.until(({ name }) => name === 'activity')
    await elsewhere.close()
  })

  it('[FEED-2] following or unfollowing twice changes nothing; who follows again starts like a new follower', async () => {
    for (let i = 0; i < 25; i++) await ada.call('activities.publish', post('project/open', `number ${i}`))
    const once = await eve.call('topics.follow', { topic: 'project/open' })
    expect(await eve.call('topics.follow', { topic: 'project/open' })).toEqual(once)
    const left = await eve.call('topics.unfollow', { topic: 'project/open' })
    expect(await eve.call('topics.unfollow', { topic: 'project/open' })).toEqual(left)
    await eve.call('topics.follow', { topic: 'project/open' })
    const { id } = await eve.query('topics.get', { topic: 'project/open' })
    expect((await eve.query('activities.unreadCounts')).topics[id]).toBe(20)
  })

  it("[READ-7] a mark reaches the person's other tabs with the new counts and version, and nobody else", async () => {
    const { id, topic, no } = await ada.call('activities.publish', post('project/open', 'read me on every device'))
    const [tab, stranger] = [await ben.stream(), await eve.stream()]
    await Promise.all([tab, stranger].map((stream) => stream.until(({ name }) => name === 'beat')))
    const before = tab.data('unread').at(-1)
    const counts = await ben.call('activities.markRead', { ids: [id] })
    const { data } = await tab.until(({ name }) => name === 'read')
    expect(data).toEqual({ version: counts.version, marks: [{ topic: topic.id, from: no, to: no, read: true }] })
    const told = await tab.until(({ name, data }) => name === 'unread' && data.version === counts.version)
    expect(told.data).toEqual(counts)
    expect(counts.total).toBe(before.total - 1)
    await ada.call('activities.publish', post('project/open', 'a later one'))
    await stranger.until(({ data }) => (data.activity as { summary?: string })?.summary === 'a later one')
    expect(stranger.data('read')).toEqual([])
    await Promise.all([tab.close(), stranger.close()])
  })

  it('[LIVE-3] an event is serialised once for any number of connections', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => ben.stream()))
    await Promise.all(streams.map((stream) => stream.until(({ name }) => name === 'beat')))
    // What the sweep still had to bring is in the log before the first of these.
    await product.services.relay.reconcile()
    const { id: before } = await ada.call('activities.publish', post('project/open', 'before'))
    await Promise.all(streams.map((stream) => stream.until(({ activityId }) => activityId === before)))
    const framed = product.services.tail.framed
    const { id } = await ada.call('activities.publish', post('project/open', 'to many'))
    await Promise.all(streams.map((stream) => stream.until(({ activityId }) => activityId === id)))
    expect(product.services.tail.framed - framed).toBe(1)
    await Promise.all(streams.map((stream) => stream.close()))
  })

  it('[FEED-2] somebody without rights on a private topic sees nothing of it on any path', async () => {
    const secret = await ada.call(
      'activities.publish',
      post('team/secret', 'whisper @eve @ben', { idempotencyKey: 'secret-key' }),
    )
    const { liveCursor } = await eve.query('activities.getFeed', { limit: 1 })
    const stream = await eve.stream({ cursor: liveCursor })
    await ada.call('activities.publish', post('team/secret', 'whisper again'))
    const marker = await ada.call('activities.publish', post('project/open', 'marker'))
    await stream.until(({ activityId }) => activityId === marker.id)
    expect(stream.data('activity').every(({ activity }) => activity.topic.name !== 'team/secret')).toBe(true)
    const text = JSON.stringify([
      stream.events,
      await eve.query('activities.getFeed', { limit: 100 }),
      await eve.query('activities.getFeed', { filter: 'mentions' }),
      await eve.query('activities.getFeed', { since: liveCursor }),
      await eve.query('activities.unreadCounts'),
      await eve.query('topics.list'),
    ])
    expect(text).not.toContain('whisper')
    expect(text).not.toContain('team/secret')
    expect(secret.mentions).toEqual(['ben'])
    await stream.close()

    const missing = await eve.refusal('activities.get', { id: 999_999_999 }, 'query')
    const hidden = await eve.refusal('activities.get', { id: secret.id }, 'query')
    expect([hidden.status, hidden.message]).toEqual([404, missing.message])
    const noTopic = await eve.refusal('topics.get', { topic: 'team/missing' }, 'query')
    for (const [path, input, how] of [
      ['topics.get', { topic: 'team/secret' }, 'query'],
      ['activities.getFeed', { topic: 'team/secret' }, 'query'],
      ['topics.follow', { topic: 'team/secret' }, 'call'],
      ['topics.members.set', { topic: 'team/secret', handle: 'eve', role: 'owner' }, 'call'],
      ['people.complete', { q: 'b', topic: 'team/secret' }, 'query'],
      ['activities.publish', post('team/secret', 'whisper @eve @ben', { idempotencyKey: 'secret-key' }), 'call'],
    ] as const) {
      const refused = await eve.refusal(path, input, how)
      expect([path, refused.status, refused.message]).toEqual([path, 404, noTopic.message])
    }
    await eve.call('activities.markRead', { ids: [secret.id] })
  })

  it('[FEED-2] somebody removed gets nothing that is published a moment later, and their key gives nothing back', async () => {
    const own = post('team/secret', 'mine', { idempotencyKey: 'bens-key' })
    const first = await ben.call('activities.publish', own)
    const stream = await ben.stream()
    await stream.until(({ name }) => name === 'beat')
    await ada.call('topics.members.remove', { topic: 'team/secret', handle: 'ben' })
    await ada.call('activities.publish', post('team/secret', 'after the removal'))
    const marker = await ada.call('activities.publish', post('project/open', 'marker'))
    await stream.until(({ activityId }) => activityId === marker.id)
    const follows = await stream.until(({ data }) => data.type === 'follows')
    expect(follows.data.topics).not.toContain(first.topic.id)
    expect(JSON.stringify(stream.events)).not.toContain('after the removal')
    expect((await ben.refusal('activities.publish', own)).status).toBe(404)
    expect((await ben.refusal('activities.get', { id: first.id }, 'query')).status).toBe(404)
    await stream.close()
  })

  it('[FEED-2] a topic that becomes private is shut for those who are not in it', async () => {
    await ada.call('topics.create', { name: 'project/shut', visibility: 'public' })
    await eve.call('topics.follow', { topic: 'project/shut' })
    const stream = await eve.stream()
    await stream.until(({ name }) => name === 'beat')
    await ada.call('topics.update', { topic: 'project/shut', visibility: 'private' })
    await ada.call('activities.publish', post('project/shut', 'behind the door'))
    const marker = await ada.call('activities.publish', post('project/open', 'marker'))
    await stream.until(({ activityId }) => activityId === marker.id)
    expect(JSON.stringify(stream.events)).not.toContain('behind the door')
    expect((await eve.refusal('topics.get', { topic: 'project/shut' }, 'query')).status).toBe(404)
    await stream.close()
  })

  it('[FEED-2] a topic keeps an owner, and only owners change it', async () => {
    expect((await ada.refusal('topics.members.remove', { topic: 'project/open', handle: 'ada' })).body.code).toBe(
      'LAST_OWNER',
    )
    expect((await eve.refusal('topics.update', { topic: 'project/open', visibility: 'private' })).body.code).toBe(
      'NOT_ALLOWED',
    )
    expect((await eve.refusal('activities.publish', post('user/ada', 'not mine'))).body.code).toBe('NOT_ALLOWED')
  })

  it('[DLV-1] what was committed while Redis was away reaches the log in order when it is back', async () => {
    const stream = await eve.stream()
    await stream.until(({ name }) => name === 'beat')
    await product.redisServer.kill()
    const sent: number[] = []
    for (let i = 0; i < 5; i++) sent.push((await ada.call('activities.publish', post('project/open', `held ${i}`))).id)
    await product.redisServer.restart()
    await stream.until(({ activityId }) => activityId === sent.at(-1))
    const got = stream.data('activity').map(({ activity }) => activity.id)
    expect(got.filter((id) => sent.includes(id))).toEqual(sent)
    await stream.close()
  })

  it('[DLV-1] a wiped log starts a new epoch, is filled again, and readers are told to start over', async () => {
    const { liveCursor } = await eve.query('activities.getFeed', { limit: 1 })
    const stream = await eve.stream({ cursor: liveCursor })
    await stream.until(({ name }) => name === 'beat')
    await product.redis.sendCommand(['FLUSHALL'])
    const sent = await ada.call('activities.publish', post('project/open', 'after the flush'))
    await stream.until(({ data }) => data.type === 'reset')
    await product.services.relay.reconcile()
    const heads = await product.pool.query('select topic_id, seq from topic_heads where seq > 0')
    const logged = await product.redis.hGetAll('{activities}:heads')
    expect(logged).toEqual(Object.fromEntries(heads.rows.map((row) => [row.topic_id, String(row.seq)])))
    expect((await eve.query('activities.getFeed', { limit: 1 })).liveCursor.split('.')[0]).not.toBe(
      liveCursor.split('.')[0],
    )
    expect((await eve.query('activities.get', { id: sent.id })).id).toBe(sent.id)
    await stream.close()
  })
})

describe('feed page plan', () => {
  it('[FEED-8] a page over many topics uses indexes only', async () => {
    const { pool, stop } = await openDatabase('postgres')
    const { feedPageSql } = await import('./db/feed-sql.ts')
    await pool.query(`insert into users (id, name, email, handle) values ('u', 'U', 'u@example.org', 'uu')`)
    await pool.query(`insert into topics (name, visibility) select 'p/t' || i, 'public' from generate_series(1, 500) i`)
    await pool.query(`insert into topic_heads (topic_id, seq, no) select id, 100, 100 from topics`)
    await pool.query(`insert into follows (user_id, topic_id) select 'u', id from topics where id <= 100`)
    await pool.query(
      `insert into activities (topic_id, seq, no, actor_tool, verb, summary, metadata, mentions, published_at, source, words)
       select 1 + i % 500, 1 + i / 500, 1 + i / 500, 'T', 'posted', 'x', '{}', '{}', now(), 's', '' from generate_series(0, 49999) i`,
    )
    await pool.query('analyze')
    for (const query of [
      { topicId: null, filter: { kind: 'all' }, verb: null },
      { topicId: 7, filter: { kind: 'all' }, verb: null },
      { topicId: null, filter: { kind: 'all' }, verb: 'posted' },
      { topicId: null, filter: { kind: 'unread', among: [{ topicId: 7, from: 3, to: 9 }] }, verb: null },
      { topicId: null, filter: { kind: 'mentions' }, verb: null },
    ] satisfies Pick<PageQuery, 'topicId' | 'filter' | 'verb'>[]) {
      const { text, values } = feedPageSql({ viewer: 'u', before: null, limit: 50, ...query })
      const { rows } = await pool.query(`explain (format json) ${text}`, values)
      const plan = JSON.stringify(rows)
      expect(plan).toContain('"activities"')
      expect(seqScans(rows[0]['QUERY PLAN'][0].Plan), JSON.stringify(query)).not.toContain('activities')
    }
    await stop()
  })
})

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] }
const seqScans = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []),
  ...(plan.Plans ?? []).flatMap(seqScans),
]
