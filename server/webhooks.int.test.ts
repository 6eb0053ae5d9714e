// Webhooks of people, from the API to a receiver that checks signatures with a library of others, on both databases. The
// tests say when to try, in place of the job partitions.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { eachDatabase } from '#scripts/testing/databases.ts'
import { ENDPOINTS_PER_PERSON_MAX, type EndpointView } from '#shared/webhook.ts'
import { WEBHOOK_TRIES } from './config/tuning.ts'
import { createWebhookStore } from './db/webhook-store.ts'
import { edgeKey } from './edge-client/edge-keys.ts'
import { type Product, SECRET, startProduct, type TestPerson } from './testing/product.fixture.ts'

type Received = { headers: IncomingHttpHeaders; body: string }

async function openReceiver() {
  const received: Received[] = []
  let status = 200
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (part) => {
      body += part
    })
    req.on('end', () => {
      received.push({ headers: req.headers, body })
      res.writeHead(status).end(`said ${status}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    answer: (next: number) => {
      status = next
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

eachDatabase('webhooks', (_open, kind) => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson
  let receiver: Awaited<ReturnType<typeof openReceiver>>
  let store: ReturnType<typeof createWebhookStore>

  beforeAll(async () => {
    product = await startProduct(kind, { privateWebhooks: true })
    ada = await product.person('ada')
    ben = await product.person('ben')
    await ada.call('topics.create', { name: 'project/open', visibility: 'public' })
    await ada.call('topics.create', { name: 'team/secret', visibility: 'private' })
    receiver = await openReceiver()
    store = createWebhookStore(product.pool)
  })
  afterAll(async () => {
    receiver.stop()
    await product.stop()
  })
  beforeEach(async () => {
    receiver.received.length = 0
    receiver.answer(200)
    await product.pool.query('delete from webhook_endpoints')
  })

  const add = (person: TestPerson, topic = 'project/open'): Promise<{ endpoint: EndpointView; secret: string }> =>
    person.call('webhooks.create', { url: receiver.url, topic })
  const say = (topic: string, summary: string) => ada.call('activities.publish', { topic, verb: 'posted', summary })
  /** Waits until so many deliveries are planned and open, and gives what a job would carry. */
  const planned = (count: number) =>
    expect
      .poll(async () => (await store.open(new Date(0), 100)).length, { timeout: 20_000 })
      .toBe(count)
      .then(() => store.open(new Date(0), 100))
  const attempt = ({ id, run }: { id: number; run: number }) => product.services.egress.attempt({ delivery: id, run })
  const logOf = async (person: TestPerson, endpoint: number) =>
    (await person.query('webhooks.deliveries', { endpoint })).deliveries

  it('[FEED-12] an activity is posted signed, and a library that is not ours believes it', async () => {
    const { endpoint, secret } = await add(ada)
    await say('project/open', 'Out of the house.')
    const [job] = await planned(1)
    expect(await attempt(job!)).toEqual({ outcome: 'done' })
    const { headers, body } = receiver.received[0]!
    const message = new Webhook(secret).verify(body, headers as Record<string, string>)
    expect(message).toMatchObject({
      type: 'activity',
      data: { summary: 'Out of the house.', topic: { name: 'project/open' } },
    })
    expect(() =>
      new Webhook(secret).verify(body.replace('house', 'horse'), headers as Record<string, string>),
    ).toThrow()
    const [delivery] = await logOf(ada, endpoint.id)
    expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, last: { status: 200, error: null } })
    const details = await ada.query('webhooks.delivery', { id: delivery.id })
    expect(details).toMatchObject({ url: receiver.url, body, log: [{ no: 1, status: 200, answer: 'said 200' }] })
    // Told a second time that it is time: it was delivered.
    expect(await attempt(job!)).toEqual({ outcome: 'done' })
    expect(receiver.received).toHaveLength(1)
  })

  it('[FEED-12] the secret is shown once, can be made anew, and is nowhere in the database', async () => {
    const { endpoint, secret } = await add(ada)
    expect(JSON.stringify(await ada.query('webhooks.list'))).not.toContain(secret.slice(6))
    const { rows } = await product.pool.query('select * from webhook_endpoints')
    expect(JSON.stringify(rows)).not.toContain(secret.slice(6))
    const renewed = await ada.call('webhooks.reseal', { id: endpoint.id })
    expect(renewed.secret).not.toBe(secret)
    await ada.call('webhooks.test', { id: endpoint.id })
    await attempt((await planned(1))[0]!)
    const { headers, body } = receiver.received[0]!
    expect(new Webhook(renewed.secret).verify(body, headers as Record<string, string>)).toMatchObject({ type: 'test' })
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).toThrow()
  })

  it('[FEED-12] failures are tried again, then given up; sent again by hand they carry the same id', async () => {
    const { endpoint } = await add(ada)
    await say('project/open', 'Nobody takes this.')
    const [job] = await planned(1)
    receiver.answer(500)
    for (let i = 1; i < WEBHOOK_TRIES; i++)
      expect(await attempt(job!)).toMatchObject({ outcome: 'retry', error: '500' })
    expect((await logOf(ada, endpoint.id))[0]).toMatchObject({ state: 'retrying', attempts: WEBHOOK_TRIES - 1 })
    expect(await attempt(job!)).toMatchObject({ outcome: 'dead' })
    const [dead] = await logOf(ada, endpoint.id)
    expect(dead).toMatchObject({ state: 'failed', attempts: WEBHOOK_TRIES })
    expect(await store.open(new Date(0), 100)).toEqual([])

    receiver.answer(204)
    await Promise.all([1, 2].map(() => ada.call('webhooks.redeliver', { id: dead.id })))
    const [again] = await planned(1)
    expect(again).toMatchObject({ id: job!.id, run: job!.run + 1 })
    // The first job is told that there is nothing left to do.
    expect(await attempt(job!)).toEqual({ outcome: 'done' })
    expect(await attempt(again!)).toEqual({ outcome: 'done' })
    const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    expect(ids.size).toBe(1)
    expect(receiver.received).toHaveLength(WEBHOOK_TRIES + 1)
  })

  it('[FEED-12] 410 pauses the endpoint at once, days of failures do, and the owner hears of it', async () => {
    const first = await add(ada)
    await say('project/open', 'one')
    receiver.answer(410)
    expect(await attempt((await planned(1))[0]!)).toMatchObject({ outcome: 'dead' })
    expect(await ada.query('webhooks.list')).toMatchObject([{ paused: 'gone' }])
    expect((await ada.query('bell.list', {})).unread).toBe(1)
    expect(await ada.query('webhooks.notices')).toMatchObject([{ id: first.endpoint.id, paused: 'gone' }])
    await ada.call('webhooks.noticed')
    expect((await ada.query('bell.list', {})).unread).toBe(0)
    expect(await ada.query('webhooks.notices')).toEqual([])

    // Paused: nothing new is planned, as another's endpoint shows, and a test is refused.
    const others = await add(ben)
    receiver.answer(200)
    await say('project/open', 'two')
    await attempt((await planned(1))[0]!)
    expect(await logOf(ada, first.endpoint.id)).toHaveLength(1)
    await ben.call('webhooks.remove', { id: others.endpoint.id })
    expect((await ada.refusal('webhooks.test', { id: first.endpoint.id })).status).toBe(403)
    await ada.call('webhooks.pause', { id: first.endpoint.id, paused: false })
    receiver.answer(503)
    await say('project/open', 'three')
    const [job] = await planned(1)
    expect(await attempt(job!)).toMatchObject({ outcome: 'retry', targetDown: true })
    await product.pool.query(`update webhook_endpoints set failing_since = now() - interval '2 days 23 hours'`)
    await attempt(job!)
    expect(await ada.query('webhooks.list')).toMatchObject([{ paused: null }])
    await product.pool.query(`update webhook_endpoints set failing_since = now() - interval '73 hours'`)
    await attempt(job!)
    expect(await ada.query('webhooks.list')).toMatchObject([{ paused: 'failing' }])
    expect(await attempt(job!)).toMatchObject({ outcome: 'dead', error: 'The endpoint is paused.' })
    expect((await ada.query('bell.list', {})).unread).toBe(1)
    // Going on starts with a clean slate.
    expect(await ada.call('webhooks.pause', { id: first.endpoint.id, paused: false })).toMatchObject({
      paused: null,
      failingSince: null,
    })
  })

  it('[FEED-12] other words are posted too; what is deleted is neither sent any more nor kept', async () => {
    const { endpoint } = await add(ada)
    const { id } = await say('project/open', 'first words')
    const [first] = await planned(1)
    await attempt(first!)
    await ada.call('activities.edit', { id, summary: 'other words' })
    const [second] = await planned(1)
    await attempt(second!)
    const { id: never } = await say('project/open', 'never sent')
    const [third] = await planned(1)
    for (const one of [id, never]) await ada.call('activities.delete', { id: one })
    const told = `select count(*)::int as n from webhook_deliveries where type = 'activity.deleted'`
    await expect.poll(async () => (await product.pool.query(told)).rows[0].n, { timeout: 20_000 }).toBe(2)
    for (const job of await planned(2)) await attempt(job)
    expect(await attempt(third!)).toEqual({ outcome: 'done' })
    const bodies = receiver.received.map(({ body }) => JSON.parse(body))
    expect(bodies.map(({ type }) => type)).toEqual([
      ...['activity', 'activity.edited', 'activity.deleted', 'activity.deleted'],
    ])
    expect(bodies[1].data).toMatchObject({ id, summary: 'other words' })
    expect(bodies.slice(2).map(({ data }) => data.id)).toEqual([id, never])
    const log = await logOf(ada, endpoint.id)
    expect(log).toHaveLength(5)
    expect((await ada.query('webhooks.delivery', { id: first!.id })).body).toBe('')
    await ada.call('webhooks.redeliver', { id: first!.id })
    expect(await store.open(new Date(0), 10)).toEqual([])
  })

  it('[FEED-12] one success ends a run of failures', async () => {
    await add(ada)
    await say('project/open', 'one')
    const [job] = await planned(1)
    receiver.answer(500)
    await attempt(job!)
    expect((await ada.query('webhooks.list'))[0].failingSince).not.toBeNull()
    receiver.answer(200)
    await attempt(job!)
    expect((await ada.query('webhooks.list'))[0].failingSince).toBeNull()
  })

  it('[FEED-2] a private topic leaves only for those in it, and not after they have been removed', async () => {
    expect((await ben.refusal('webhooks.create', { url: receiver.url, topic: 'team/secret' })).body).toMatchObject({
      code: 'NOT_FOUND',
      field: 'topic',
    })
    await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
    const { endpoint } = await add(ben, 'team/secret')
    await say('team/secret', 'for us')
    const [job] = await planned(1)
    await ada.call('topics.members.remove', { topic: 'team/secret', handle: 'ben' })
    expect(await attempt(job!)).toMatchObject({ outcome: 'dead' })
    await add(ada, 'team/secret')
    await say('team/secret', 'not for ben')
    const [after] = await planned(1)
    await attempt(after!)
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.summary)).toEqual(['not for ben'])
    const { rows } = await product.pool.query('select id from webhook_deliveries where endpoint_id = $1', [endpoint.id])
    expect(rows).toHaveLength(1)
    // Neither the name of the topic nor what was said there is shown any more.
    const listed = await ben.query('webhooks.list')
    expect(listed).toMatchObject([{ id: endpoint.id, topic: null, paused: 'rights' }])
    expect(await logOf(ben, endpoint.id)).toEqual([])
    expect((await ben.refusal('webhooks.delivery', { id: job!.id }, 'query')).status).toBe(404)
    expect((await ben.refusal('webhooks.redeliver', { id: job!.id })).status).toBe(404)
  })

  it("[FEED-12] nobody reaches another's endpoint, and bad input is named", async () => {
    const { endpoint } = await add(ada)
    await say('project/open', 'x')
    const [job] = await planned(1)
    await attempt(job!)
    const { id } = endpoint
    for (const [path, input] of [
      ['webhooks.remove', { id }],
      ['webhooks.pause', { id, paused: true }],
      ['webhooks.reseal', { id }],
      ['webhooks.test', { id }],
      ['webhooks.redeliver', { id: job!.id }],
    ] as const)
      expect((await ben.refusal(path, input)).status, path).toBe(404)
    expect((await ben.refusal('webhooks.deliveries', { endpoint: id }, 'query')).status).toBe(404)
    expect((await ben.refusal('webhooks.delivery', { id: job!.id }, 'query')).status).toBe(404)
    expect(await ben.query('webhooks.list')).toEqual([])
    for (const url of [
      'ftp://example.com',
      'example.com',
      'https://me:pass@example.com/',
      'javascript:alert(1)',
      'x'.repeat(3_000),
    ]) {
      const refusal = await ada.refusal('webhooks.create', { url, topic: 'project/open' })
      expect(refusal.body, url).toMatchObject({ code: 'INVALID_INPUT', field: 'url' })
    }
    expect((await ada.refusal('webhooks.deliveries', { endpoint: id, cursor: 'nonsense' }, 'query')).body.field).toBe(
      'cursor',
    )
    for (let i = 1; i < ENDPOINTS_PER_PERSON_MAX; i++) await add(ada)
    expect((await ada.refusal('webhooks.create', { url: receiver.url, topic: 'project/open' })).status).toBe(403)
    await ada.call('webhooks.remove', { id })
    expect(await store.due(job!.id)).toBeNull()
    expect(await attempt(job!)).toEqual({ outcome: 'done' })
  })

  it('[FEED-12] what is handed over and not heard of is handed over again, and only then', async () => {
    await add(ada)
    await say('project/open', 'lost on the way')
    const [job] = await planned(1)
    await store.handed([job!.id], new Date(1_000_000))
    expect(await store.open(new Date(1_000_000), 10)).toEqual([])
    expect(await store.open(new Date(1_000_001), 10)).toEqual([job])
  })

  it('[FEED-12] only the edge may say that it is time', async () => {
    const { endpoint } = await add(ada)
    await ada.call('webhooks.test', { id: endpoint.id })
    const [job] = await planned(1)
    const ask = (token: string | null, body: unknown) =>
      fetch(`${product.base}/api/edge/egress`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify(body),
      })
    const key = Buffer.from(edgeKey(SECRET).k, 'base64url')
    const token = (claims: Record<string, string>, audience: string, until = '2m', secret = key) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .setAudience(audience)
        .setExpirationTime(until)
        .sign(secret)
    const claims = { project: 'feed', scope: 'egress' }
    const body = { jobId: 'j', type: 'webhook', attempt: 1, payload: { delivery: job!.id, run: job!.run } }
    for (const bad of [
      null,
      'nonsense',
      await token(claims, 'signal-feed-edge'),
      await token({ ...claims, scope: 'write' }, 'signal-feed-origin'),
      await token({ ...claims, project: 'other' }, 'signal-feed-origin'),
      await token(claims, 'signal-feed-origin', '-10m'),
      await token(claims, 'signal-feed-origin', '2m', Buffer.from('x'.repeat(32))),
    ])
      expect((await ask(bad, body)).status).toBe(401)
    expect(receiver.received).toEqual([])
    const good = await token(claims, 'signal-feed-origin')
    expect((await ask(good, { ...body, payload: { delivery: 'x' } })).status).toBe(400)
    const answer = await ask(good, body)
    expect([answer.status, await answer.json()]).toEqual([200, { outcome: 'done' }])
    expect(receiver.received).toHaveLength(1)
  })

  it('[FEED-18] what tools ask is in the log of the owner of their key, and in nobody else’s', async () => {
    const { secret } = await ada.call('apiKeys.create', { name: 'CI', topics: ['project/open'] })
    const ask = (body: unknown, key = secret) =>
      fetch(`${product.base}/api/ingest`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      })
    const one = { topic: 'project/open', verb: 'deployed', object: { type: 'release', id: '1', title: 'one' } }
    await ask(one)
    await ask([one, one])
    await ask({ ...one, topic: 'team/secret' })
    await ask(one, `${secret}x`)
    await expect.poll(async () => (await ada.query('webhooks.requests')).length, { timeout: 20_000 }).toBe(3)
    const log = await ada.query('webhooks.requests')
    expect(log.map(({ status }: { status: number }) => status).sort()).toEqual([201, 201, 403])
    expect(log.find(({ status }: { status: number }) => status === 403)).toMatchObject({
      ...{ method: 'POST', path: '/api/ingest', key: 'CI', note: 'topic: This key may not publish to this topic.' },
    })
    expect(await ben.query('webhooks.requests')).toEqual([])
    expect(JSON.stringify(log)).not.toContain(secret)
  })
})
