// Polls over real HTTP with real Redis and Postgres: what they cost when nothing is new, and every way around their limit.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '#server/http/app.fixture.ts'
import { type Product, startProduct, type TestPerson } from '#server/testing/product.fixture.ts'

const EVENTUALLY = { timeout: 10_000, interval: 20 }
const addressOf = (since: string) =>
  `/api/trpc/activities.getFeed?input=${encodeURIComponent(JSON.stringify({ since }))}`

describe('polls', () => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson
  beforeEach(async () => {
    product = await startProduct('postgres')
    ada = await product.person('ada')
    ben = await product.person('ben')
    await ada.call('topics.create', { name: 'project/open' })
    await ben.call('topics.follow', { topic: 'project/open' })
  })
  afterEach(() => product.stop())

  const position = async () => (await ben.query('activities.getFeed', { limit: 1 })).liveCursor as string
  const poll = (since: string, tag?: string | null, headers: Record<string, string> = {}) =>
    ben.visitor.get(addressOf(since), { ...headers, ...(tag ? { 'if-none-match': tag } : {}) })
  const fromMemory = async () => {
    const metrics = await (await ben.visitor.get('/metrics')).text()
    return Number(/^polls_from_memory_total\{status="304"\} (\d+)$/m.exec(metrics)![1])
  }
  /** A tag that stands for the present. */
  const settledTag = async (since: string) => {
    let tag: string | null = null
    await expect
      .poll(async () => {
        const answer = await poll(since, tag)
        tag = answer.headers.get('etag')
        return answer.status
      }, EVENTUALLY)
      .toBe(304)
    return tag
  }

  it('[LIVE-16] nothing new is a 304 from memory that touches neither Postgres nor Redis', async () => {
    const since = await position()
    const tag = await settledTag(since)
    const queries = vi.spyOn(product.pool, 'query')
    const commands = vi.spyOn(product.redis, 'sendCommand')
    const before = await fromMemory()
    const answer = await poll(since, tag)
    expect([answer.status, await answer.text(), answer.headers.get('etag')]).toEqual([304, '', tag])
    expect(await fromMemory()).toBe(before + 1)
    expect(queries).not.toHaveBeenCalled()
    expect(commands).not.toHaveBeenCalled()
  })

  it('[LIVE-16] an activity, a read mark and a change of follows each make the next poll a full one', async () => {
    const since = await position()
    const changes: [string, () => Promise<{ id?: number }>][] = [
      ['activity', () => ada.call('activities.publish', { topic: 'project/open', verb: 'posted', summary: 'new' })],
      ['follows', () => ben.call('topics.mute', { topic: 'project/open', muted: true })],
    ]
    for (const [what, change] of changes) {
      const tag = await settledTag(since)
      await change()
      await expect.poll(async () => (await poll(since, tag)).status, EVENTUALLY).toBe(200)
      expect(what).toBeTruthy()
    }
    const { items } = (await (await poll(since)).json()).result.data
    expect(items.map(({ summary }: { summary: string }) => summary)).toEqual(['new'])

    const tag = await settledTag(since)
    await ben.call('activities.markRead', { ids: [items[0].id] })
    await expect.poll(async () => (await poll(since, tag)).status, EVENTUALLY).toBe(200)
  })

  it('[LIVE-16] a session that ended gets no 304, and a forged or foreign cookie is nobody', async () => {
    const since = await position()
    const tag = await settledTag(since)
    const cookies = new Map(ben.visitor.cookies)
    await ben.visitor.post('/api/auth/sign-out', {})
    for (const [name, value] of cookies) ben.visitor.cookies.set(name, value)
    await expect.poll(async () => (await poll(since, tag)).status, EVENTUALLY).toBe(401)

    const pollCookie = cookies.get('test-poll')!
    for (const forged of [pollCookie.replace(/^[^.]+/, 'somebody'), `${pollCookie}x`, 'a.b.1.c', '']) {
      ben.visitor.cookies.clear()
      ben.visitor.cookies.set('test-poll', forged)
      expect((await poll(since, tag)).status).toBe(401)
    }
  })

  it('[LIVE-14] twelve polls that do work in a minute, then 429 with all that a client needs', async () => {
    const since = await position()
    for (let i = 0; i < 12; i++) expect((await poll(since)).status).toBe(200)
    const refused = await poll(since)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit')).toContain('r=0')
    const body = await refused.json()
    expect(body).toMatchObject({ message: expect.any(String), sseEndpoint: '/api/events/activities' })
    expect(body.retryAfter).toBe(Number(refused.headers.get('retry-after')))
    expect(body.error.data.error.code).toBe('TOO_MANY')
    // Scrolling is not polling.
    await ben.query('activities.getFeed', { limit: 5 })
  })

  it('[LIVE-14] no way around: batches, casing, longer paths, headers and other methods', async () => {
    const since = await position()
    const input = (value: object) => `input=${encodeURIComponent(JSON.stringify(value))}`
    const batch = await ben.visitor.get(
      `/api/trpc/activities.getFeed,activities.getFeed?batch=1&${input({ 0: { since }, 1: { since } })}`,
    )
    expect([batch.status, (await errorOf(batch)).field]).toEqual([400, 'batch'])
    const addresses = [
      addressOf(since).replace('/api/trpc', '/API/tRPC'),
      addressOf(since).replace('/api/trpc/', '/api/trpc/x/y/'),
      addressOf(since).replace('?', '?batch=0&'),
      `/api/trpc/activities.getFeed?batch=1&${input({ 0: { since } })}`,
    ]
    for (let i = 0; i < 12; i++) {
      const answer = await ben.visitor.get(addresses[i % addresses.length]!, { 'x-sse-connected': 'true' })
      expect([200, 404], addresses[i % addresses.length]).toContain(answer.status)
    }
    for (const address of addresses)
      expect([404, 429], address).toContain((await ben.visitor.get(address, { 'x-sse-connected': 'true' })).status)
    const posted = await ben.visitor.post('/api/trpc/activities.getFeed', { since })
    expect(posted.status).toBe(405)
  })

  it('[LIVE-14] somebody with a live connection has the normal limit, known from Redis and not from the request', async () => {
    const since = await position()
    const stream = await ben.stream()
    await stream.until(({ name }) => name === 'beat')
    for (let i = 0; i < 20; i++) expect((await poll(since)).status).toBe(200)
    await stream.close()
  })

  it('[LIVE-14] without Redis polls are still answered, and still counted', async () => {
    const since = await position()
    await product.redisServer.kill()
    const statuses: number[] = []
    for (let i = 0; i < 14; i++) statuses.push((await poll(since)).status)
    expect(statuses).toEqual([...Array(12).fill(200), 429, 429])
    await product.redisServer.restart()
    // Counted by all again: what Redis has not seen yet may be asked there.
    await expect.poll(async () => (await poll(since)).status, EVENTUALLY).toBe(200)
  })
})
