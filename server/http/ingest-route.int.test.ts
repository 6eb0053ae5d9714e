// Tools publish over real HTTP, on both databases: keys, rights, lists, repeats, and everything that must be refused.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eachDatabase } from '#scripts/testing/databases.ts'
import { KEY_USED_EVERY_MS } from '#server/config/tuning.ts'
import { type Product, startProduct, type TestPerson } from '#server/testing/product.fixture.ts'
import { NO_TALK } from '#shared/talk.ts'
import { errorOf } from './app.fixture.ts'

type Made = { key: { id: number; prefix: string; lastUsedAt: string | null }; secret: string }

eachDatabase('ingest', (_open, kind) => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson
  let made: Made

  beforeAll(async () => {
    product = await startProduct(kind)
    ada = await product.person('ada')
    ben = await product.person('ben')
    await ada.call('topics.create', { name: 'project/open' })
    await ada.call('topics.create', { name: 'project/other' })
    await ada.call('topics.create', { name: 'team/secret', visibility: 'private' })
    await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
    await ben.call('topics.follow', { topic: 'project/open' })
    await ben.call('topics.follow', { topic: 'team/secret' })
  })
  beforeEach(async () => {
    made = await ada.call('apiKeys.create', { name: 'CI', topics: ['project/open', 'team/secret'] })
  })
  afterAll(() => product.stop())

  const send = (body: unknown, headers: Record<string, string> = {}, secret = made.secret) =>
    fetch(`${product.base}/api/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const count = async () => Number((await product.pool.query('select count(*) from activities')).rows[0].count)
  const refusal = async (answer: Response) => {
    const { code, field } = await errorOf(answer)
    return [answer.status, code, field]
  }
  const deployed = (id: string, more: object = {}) => ({
    topic: 'project/open',
    verb: 'deployed',
    object: { type: 'release', id },
    ...more,
  })

  it('[FEED-10] one activity is stored under the name of the key and reaches followers live', async () => {
    const stream = await ben.stream()
    await stream.until(({ name }) => name === 'beat')
    const answer = await send(deployed('1.0', { summary: 'Out, @ben.', occurredAt: '2026-01-02T03:04:05+01:00' }))
    expect(answer.status).toBe(201)
    const { activities } = await answer.json()
    expect(activities).toEqual([
      {
        id: expect.any(Number),
        topic: 'project/open',
        seq: expect.any(Number),
        no: expect.any(Number),
        publishedAt: expect.any(String),
        replayed: false,
      },
    ])
    const { data } = await stream.until(({ activityId }) => activityId === activities[0].id)
    await stream.close()
    expect(data.activity).toMatchObject({
      actor: { kind: 'tool', id: 'ci', name: 'CI' },
      source: 'CI',
      mentions: ['ben'],
      occurredAt: '2026-01-02T02:04:05.000Z',
    })
    expect(await ben.query('activities.get', { id: activities[0].id })).toEqual({
      ...(data.activity as object),
      read: false,
      talk: NO_TALK,
    })
  })

  it('[FEED-10] a list is stored in order, over several topics, in one go', async () => {
    const list = Array.from({ length: 500 }, (_, i) =>
      deployed(`list-${i}`, i % 50 === 0 ? { topic: 'team/secret' } : {}),
    )
    const answer = await send(list)
    expect(answer.status).toBe(201)
    const { activities } = await answer.json()
    expect(activities).toHaveLength(500)
    expect(activities[50].topic).toBe('team/secret')
    const open = activities.filter((one: { topic: string }) => one.topic === 'project/open')
    expect(open.map((one: { no: number }) => one.no - open[0].no)).toEqual(open.map((_: unknown, i: number) => i))
    const item = await ben.query('activities.get', { id: activities[499].id })
    expect(item.object.id).toBe('list-499')
  })

  it('[FEED-10] one bad activity in a list: the place is named and nothing is stored', async () => {
    const before = await count()
    const heads = await product.pool.query('select * from topic_heads order by topic_id')
    const good = deployed('good', { idempotencyKey: 'good' })
    const cases: [object, number, string, string][] = [
      [{ ...good, object: { type: 'a', id: 'b', url: 'javascript:alert(1)' } }, 400, 'INVALID_INPUT', '1.object.url'],
      [{ ...good, surprise: 1 }, 400, 'INVALID_INPUT', '1.surprise'],
      [{ ...good, topic: 'project/other' }, 403, 'NOT_ALLOWED', '1.topic'],
      [{ ...good, topic: 'project/none' }, 403, 'NOT_ALLOWED', '1.topic'],
      [{ ...good, verb: 'other' }, 422, 'KEY_REUSED', '1.idempotencyKey'],
    ]
    for (const [bad, ...expected] of cases)
      expect(await refusal(await send([good, bad, deployed('after')]))).toEqual(expected)
    expect(await count()).toBe(before)
    expect((await product.pool.query('select * from topic_heads order by topic_id')).rows).toEqual(heads.rows)
    // The key of what was refused together is still free.
    expect((await send([good])).status).toBe(201)
  })

  it('[FEED-10] an owner who loses the right takes the key with them, and gets it back with the right', async () => {
    const own: Made = await ben.call('apiKeys.create', { name: 'Bot', topics: ['team/secret', 'project/open'] })
    const secret = deployed('s', { topic: 'team/secret' })
    expect((await send(secret, {}, own.secret)).status).toBe(201)
    const before = await count()
    await ada.call('topics.members.remove', { topic: 'team/secret', handle: 'ben' })
    expect(await refusal(await send(secret, {}, own.secret))).toEqual([403, 'NOT_ALLOWED', 'topic'])
    expect(await refusal(await send([deployed('x'), secret], {}, own.secret))).toEqual([403, 'NOT_ALLOWED', '1.topic'])
    await ada.call('topics.update', { topic: 'project/open', posting: 'owners' })
    expect(await refusal(await send(deployed('x'), {}, own.secret))).toEqual([403, 'NOT_ALLOWED', 'topic'])
    expect(await count()).toBe(before)
    await ada.call('topics.update', { topic: 'project/open', posting: 'everyone' })
    await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
    expect((await send(secret, {}, own.secret)).status).toBe(201)
  })

  it('[FEED-10] a key is only for topics that its owner may publish to, by place', async () => {
    await ada.call('topics.create', { name: 'team/own', visibility: 'private' })
    await ada.call('topics.create', { name: 'news/official', posting: 'owners' })
    const refused = async (topics: string[], more = {}) => {
      const { status, body } = await ben.refusal('apiKeys.create', { name: 'x', topics, ...more })
      return [status, body.code, body.field]
    }
    expect(await refused(['project/open', 'team/own'])).toEqual([404, 'NOT_FOUND', 'topics.1'])
    expect(await refused(['project/open', 'team/none'])).toEqual([404, 'NOT_FOUND', 'topics.1'])
    expect(await refused(['news/official'])).toEqual([403, 'NOT_ALLOWED', 'topics.0'])
    expect(await refused([])).toEqual([400, 'INVALID_INPUT', 'topics'])
    expect(await refused(['project/open', 'project/other'], { kind: 'github' })).toEqual([
      400,
      'INVALID_INPUT',
      'topics',
    ])
  })

  it('[FEED-9] [FEED-10] sending again with the same key stores once and answers the same, one or many', async () => {
    const headers = { 'idempotency-key': 'build-512' }
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(deployed('once'), headers)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201])
    const ids = await Promise.all(answers.map(async (answer) => (await answer.json()).activities[0].id))
    expect(new Set(ids).size).toBe(1)
    expect(await refusal(await send(deployed('other'), headers))).toEqual([422, 'KEY_REUSED', 'Idempotency-Key'])
    expect(await refusal(await send([deployed('once'), deployed('more')], headers))).toEqual([
      422,
      'KEY_REUSED',
      'Idempotency-Key',
    ])

    const list = [deployed('a'), deployed('b'), deployed('c', { idempotencyKey: 'own' })]
    const many = { 'idempotency-key': 'night' }
    const both = await Promise.all([send(list, many), send(list, many)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 201])
    const [first, second] = await Promise.all(both.map((answer) => answer.json()))
    const idsOf = (body: { activities: { id: number }[] }) => body.activities.map(({ id }) => id)
    expect(idsOf(first)).toEqual(idsOf(second))
    const before = await count()
    for (const changed of [list.slice(0, 2), [...list, deployed('d')], [list[1], list[0], list[2]]])
      expect((await refusal(await send(changed, many)))[1]).toBe('KEY_REUSED')
    expect(await count()).toBe(before)
    // Another key of the same person has its own.
    const other: Made = await ada.call('apiKeys.create', { name: 'CD', topics: ['project/open'] })
    const fresh = await send(deployed('once'), headers, other.secret)
    expect([fresh.status, ids.includes((await fresh.json()).activities[0].id)]).toEqual([201, false])
    expect(await refusal(await send(deployed('x'), { 'idempotency-key': 'two words' }))).toEqual([
      400,
      'INVALID_INPUT',
      'Idempotency-Key',
    ])
  })

  it('[FEED-10] CloudEvents are activities in every mode, stored once by source and id', async () => {
    const one: Made = await ada.call('apiKeys.create', { name: 'Events', topics: ['project/open'] })
    const event = { specversion: '1.0', id: '1', source: '/ci', type: 'com.example.build.finished', subject: 'build 7' }
    const structured = { 'content-type': 'application/cloudevents+json' }
    const first = await send(event, structured, one.secret)
    expect(first.status).toBe(201)
    const [{ id }] = (await first.json()).activities
    expect(await ben.query('activities.get', { id })).toMatchObject({
      verb: 'finished',
      object: { type: 'build', id: 'build 7' },
      actor: { kind: 'tool', name: 'Events' },
    })
    const headers = Object.fromEntries(Object.entries(event).map(([name, value]) => [`ce-${name}`, value]))
    const binary = await send('', { ...headers, 'content-type': 'application/json' }, one.secret)
    expect([binary.status, (await binary.json()).activities[0]]).toMatchObject([200, { id, replayed: true }])
    const bytes = { ...headers, 'ce-id': '2', 'content-type': 'application/octet-stream' }
    expect((await send('\xff\xfe', bytes, one.secret)).status).toBe(201)

    const batch = { 'content-type': 'application/cloudevents-batch+json' }
    const before = await count()
    const wrong = [
      { ...event, id: '3' },
      { ...event, id: '4', topic: 'project/other' },
    ]
    expect(await refusal(await send(wrong, batch, one.secret))).toEqual([403, 'NOT_ALLOWED', '1.topic'])
    expect(await refusal(await send([wrong[0], { ...event, id: null }], batch, one.secret))).toEqual([
      400,
      'INVALID_INPUT',
      '1.id',
    ])
    expect(await count()).toBe(before)
    const mixed = await send([event, wrong[0]], batch, one.secret)
    const { activities } = await mixed.json()
    expect(activities.map((each: { replayed: boolean }) => each.replayed)).toEqual([true, false])
    const changed = await send({ ...event, subject: 'another' }, structured, one.secret)
    expect(await refusal(changed)).toEqual([422, 'KEY_REUSED', 'idempotencyKey'])
    const none = await send([], batch, one.secret)
    expect([none.status, await none.json()]).toEqual([200, { activities: [] }])
  })

  it('[FEED-10] without a valid key nothing is read; a revoked one is refused at once', async () => {
    const before = await count()
    const [prefix, wrong] = [
      made.secret.slice(0, 16),
      `${made.secret.slice(0, -1)}${made.secret.endsWith('A') ? 'B' : 'A'}`,
    ]
    for (const token of ['', 'x', prefix, wrong, `${made.secret}x`, `sf_${'0'.repeat(12)}_${'A'.repeat(43)}`])
      expect(await refusal(await send(deployed('x'), {}, token))).toEqual([401, 'BAD_KEY', undefined])
    const cookies = { cookie: [...ada.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    expect((await send(deployed('x'), cookies, 'x')).status).toBe(401)
    expect((await ben.refusal('apiKeys.revoke', { id: made.key.id })).status).toBe(404)
    expect((await send(deployed('still'))).status).toBe(201)
    await ada.call('apiKeys.revoke', { id: made.key.id })
    expect(await refusal(await send(deployed('x')))).toEqual([401, 'BAD_KEY', undefined])
    expect((await ada.refusal('apiKeys.revoke', { id: made.key.id })).status).toBe(404)
    expect(await count()).toBe(before + 1)
  })

  it('[FEED-10] neither the database nor the list nor the log holds the secret', async () => {
    await send(deployed('x'))
    const list = await ada.query('apiKeys.list')
    const { rows } = await product.pool.query('select * from api_keys')
    const secret = made.secret.slice(16)
    expect(made.secret).toBe(`sf_${made.key.prefix}_${secret}`)
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    for (const text of [JSON.stringify(list), JSON.stringify(rows), product.lines.join()])
      expect(text).not.toContain(secret)
    expect(list.map((key: { id: number }) => key.id)).toContain(made.key.id)
    expect(await ben.query('apiKeys.list')).not.toEqual(expect.arrayContaining([{ id: made.key.id }]))
  })

  it('[FEED-10] when a key was last used is written at most once a minute', async () => {
    const lastUsed = async () =>
      (await product.pool.query('select last_used_at from api_keys where id = $1', [made.key.id])).rows[0].last_used_at
    expect(await lastUsed()).toBeNull()
    await send(deployed('x'))
    await expect.poll(lastUsed).not.toBeNull()
    const first = await lastUsed()
    await send(deployed('x'))
    expect(await lastUsed()).toEqual(first)
    await product.pool.query('update api_keys set last_used_at = $2 where id = $1', [
      made.key.id,
      new Date(Date.now() - KEY_USED_EVERY_MS - 1),
    ])
    await send(deployed('x'))
    await expect.poll(lastUsed).toEqual(expect.toSatisfy((at: Date) => at.getTime() >= first.getTime()))
  })

  it('[FEED-10] what cannot be read is refused by kind, also from a foreign page and without a body', async () => {
    const before = await count()
    const deep = `{"topic":"project/open","verb":"x","metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
    expect(await refusal(await send('{"topic":'))).toEqual([400, 'INVALID_INPUT', 'body'])
    expect(await refusal(await send(''))).toEqual([400, 'INVALID_INPUT', 'body'])
    expect(await refusal(await send(deep))).toEqual([400, 'INVALID_INPUT', 'body'])
    expect(await refusal(await send('[]'))).toEqual([400, 'INVALID_INPUT', 'body'])
    expect(await refusal(await send('null'))).toEqual([400, 'INVALID_INPUT', 'body'])
    expect(await refusal(await send(Array(501).fill(deployed('x'))))).toEqual([400, 'INVALID_INPUT', 'body'])
    expect(await refusal(await send(deployed('x'), { 'content-type': 'text/plain' }))).toEqual([
      400,
      'INVALID_INPUT',
      'Content-Type',
    ])
    expect((await send(`"${'x'.repeat(4 * 1024 * 1024)}"`)).status).toBe(413)
    const get = await fetch(`${product.base}/api/ingest`)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    expect(await count()).toBe(before)
    expect((await send(deployed('cross'), { origin: 'https://elsewhere.example' })).status).toBe(201)
    expect(product.lines.filter((line) => line.includes('"level":50'))).toEqual([])
  })
})

describe('limits of ingest', () => {
  it('[FEED-10] requests are counted by key, and by address without one', async () => {
    const product = await startProduct('postgres')
    try {
      const ada = await product.person('ada')
      await ada.call('topics.create', { name: 'project/open' })
      const first: Made = await ada.call('apiKeys.create', { name: 'CI', topics: ['project/open'] })
      const other: Made = await ada.call('apiKeys.create', { name: 'CD', topics: ['project/open'] })
      const send = async (secret: string) => {
        const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
        const answer = await fetch(`${product.base}/api/ingest`, { method: 'POST', headers, body: '{}' })
        await answer.arrayBuffer()
        return answer
      }
      let status = 0
      for (let n = 0; n < 61; n++) status = (await send('wrong')).status
      expect(status).toBe(429)
      for (let n = 0; n < 600; n++) status = (await send(first.secret)).status
      expect(status).toBe(400)
      const refused = await send(first.secret)
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
      expect((await send(other.secret)).status).toBe(400)
    } finally {
      await product.stop()
    }
  })
})
