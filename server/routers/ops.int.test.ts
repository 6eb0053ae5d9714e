// Dead letters through the API, as operators, members and nobody call it, on the whole server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeliveryEntry } from '#server/app/delivery-ports.ts'
import { createDeliveryQueue } from '#server/redis/delivery-queue.ts'
import { type Product, startProduct, type TestPerson } from '#server/testing/product.fixture.ts'

const EVENTUALLY = { timeout: 60_000, interval: 50 }
const QUERIES: [string, unknown][] = [
  ['ops.overview', undefined],
  ['ops.trends', { minutes: 5 }],
  ['ops.runbooks.list', undefined],
  ['ops.runbooks.show', { name: 'DLQGrowing' }],
  ['ops.dlq.list', {}],
  ['ops.dlq.show', { id: '1-0' }],
  ['ops.dlq.history', {}],
]
const ACT = { action: 'replay', ids: ['1-0'], reason: 'because' }

describe('[DLV-6] ops.*', () => {
  let product: Product
  let operator: TestPerson
  let member: TestPerson
  let seq = 1_000_000
  beforeAll(async () => {
    product = await startProduct('postgres')
    operator = await product.person('olga')
    member = await product.person('max')
    await product.pool.query(`update users set role = 'operator' where handle = 'olga'`)
    await member.call('topics.create', { name: 'project/ops' })
  })
  afterAll(() => product.stop())

  /** Something that died in the mentions handler; its payload is that of a real activity. */
  async function bury(count: number, replays = 0): Promise<string[]> {
    const item = await member.call('activities.publish', { topic: 'project/ops', verb: 'posted', summary: 'hi @olga' })
    const queue = createDeliveryQueue(product.redis, { consumer: 'test', deadMax: 1_000 })
    const before = new Set(
      (await operator.query('ops.dlq.list', { limit: 200 })).letters.map((one: { id: string }) => one.id),
    )
    await queue.settle(
      Array.from({ length: count }, () => {
        const data = JSON.stringify({ topic: item.topic.id, seq: ++seq, activity: item })
        const entry: DeliveryEntry = {
          id: null,
          epoch: 'e',
          topicId: item.topic.id,
          seq,
          kind: 'activity',
          data,
          again: false,
        }
        const past = {
          attempts: 5,
          type: 'transient',
          error: '503 from x',
          stack: 'at',
          firstAt: 1,
          lastAt: 2,
          held: false,
          replays,
        } as const
        return { entry, handler: 'mentions', token: null, do: 'dead', class: 'transient', past } as const
      }),
    )
    const { letters } = await operator.query('ops.dlq.list', { limit: 200 })
    return letters.map((one: { id: string }) => one.id).filter((id: string) => !before.has(id))
  }

  it('[FEED-17] are for operators: a member is refused, nobody is asked to sign in', async () => {
    for (const [path, input] of QUERIES) expect((await member.refusal(path, input ?? null, 'query')).status).toBe(403)
    expect((await member.refusal('ops.dlq.act', ACT)).body.code).toBe('NOT_ALLOWED')
    for (const [path, input] of QUERIES) {
      const answer = await fetch(
        `${product.base}/api/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input ?? null))}`,
      )
      expect(answer.status).toBe(401)
    }
    const post = {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: product.base },
      body: JSON.stringify(ACT),
    }
    expect((await fetch(`${product.base}/api/trpc/ops.dlq.act`, post)).status).toBe(401)
  })

  it('lists with filters and pages, and shows payload and error', async () => {
    const ids = await bury(3)
    const first = await operator.query('ops.dlq.list', { handler: 'mentions', class: 'transient', limit: 2 })
    expect(first.letters).toHaveLength(2)
    expect(first.letters[0]).toMatchObject({
      topic: 'project/ops',
      error: '503 from x',
      attempts: 5,
      handler: 'mentions',
    })
    expect(first.letters[0]).not.toHaveProperty('data')
    const second = await operator.query('ops.dlq.list', { limit: 2, cursor: first.cursor })
    expect([...first.letters, ...second.letters].map((one: { id: string }) => one.id)).toEqual(
      expect.arrayContaining(ids),
    )
    expect((await operator.query('ops.dlq.list', { handler: 'webhooks' })).letters).toEqual([])
    expect((await operator.query('ops.dlq.list', { class: 'permanent' })).letters).toEqual([])
    expect((await operator.query('ops.dlq.list', { olderThanSeconds: 3_600 })).letters).toEqual([])
    const shown = await operator.query('ops.dlq.show', { id: ids[0] })
    expect(JSON.parse(shown.data).activity.summary).toBe('hi @olga')
    expect((await operator.refusal('ops.dlq.show', { id: '1-1' }, 'query')).body).toMatchObject({
      code: 'NOT_FOUND',
      field: 'id',
    })
    await operator.call('ops.dlq.act', { action: 'discard', ids, reason: 'only a test' })
  })

  it('a dry run says what would happen and does nothing', async () => {
    const [id] = await bury(1)
    const report = await operator.call('ops.dlq.act', {
      action: 'replay',
      ids: [id, '7-7'],
      reason: 'looking',
      dryRun: true,
    })
    expect(report).toMatchObject({ counts: { replayed: 1, gone: 1 }, dryRun: true, held: [], replayedBefore: 0 })
    // Looking needs no reason, doing does.
    const all = await operator.call('ops.dlq.act', { action: 'discard', filter: {}, dryRun: true })
    expect(all).toMatchObject({ counts: { discarded: 1 }, cursor: null, unreadable: 0 })
    expect(
      await operator.call('ops.dlq.act', { action: 'discard', filter: {}, dryRun: true, cursor: id }),
    ).toMatchObject({
      counts: { discarded: 0 },
    })
    expect((await operator.query('ops.dlq.show', { id })).id).toBe(id)
    await operator.call('ops.dlq.act', { action: 'discard', ids: [id], reason: 'only a test' })
  })

  it('a replay runs that handler alone from the stored payload, once, and is in the journal', async () => {
    const [id] = await bury(1)
    const headBefore = await product.redis.sendCommand(['XINFO', 'STREAM', '{activities}:stream'])
    await product.pool.query('delete from mention_notices')
    const ask = { action: 'replay', ids: [id], reason: 'Acme is back' }
    const [one, two] = await Promise.all([operator.call('ops.dlq.act', ask), operator.call('ops.dlq.act', ask)])
    expect(one.counts.replayed + two.counts.replayed).toBe(1)
    expect(one.counts.gone + two.counts.gone).toBe(1)
    await expect
      .poll(async () => (await product.pool.query('select user_id from mention_notices')).rows.length, EVENTUALLY)
      .toBe(1)
    // Nothing was appended to the log: nobody sees it twice.
    const entries = (reply: unknown) => Number((reply as unknown[])[1])
    const headAfter = await product.redis.sendCommand(['XINFO', 'STREAM', '{activities}:stream'])
    expect(entries(headAfter) - entries(headBefore)).toBeLessThanOrEqual(1)
    const history = await operator.query('ops.dlq.history', {})
    const lines = history.filter((line: { deadId: string }) => line.deadId === id)
    expect(lines.map((line: { outcome: string }) => line.outcome).sort()).toEqual(expect.arrayContaining(['replayed']))
    expect(lines[0]).toMatchObject({ actor: 'olga', reason: 'Acme is back', action: 'replay', handler: 'mentions' })
  })

  it('what came back too often is guarded', async () => {
    const [id] = await bury(1, 5)
    const report = await operator.call('ops.dlq.act', { action: 'replay', ids: [id], reason: 'once more' })
    expect(report.counts).toMatchObject({ guarded: 1, replayed: 0 })
    await operator.call('ops.dlq.act', { action: 'discard', ids: [id], reason: 'enough' })
  })

  it('all that fit a filter go together, and discarded is finished: it is not owed any more', async () => {
    const ids = await bury(4)
    const { topicId, seq: place } = await operator.query('ops.dlq.show', { id: ids[0] })
    const report = await operator.call('ops.dlq.act', {
      action: 'discard',
      filter: { handler: 'mentions' },
      reason: 'old',
    })
    expect(report).toMatchObject({ counts: { discarded: 4 }, cursor: null })
    expect((await operator.query('ops.dlq.list', {})).depth).toBe(0)
    const { rows } = await product.pool.query(
      `select done @> $2::bigint as done from delivery_progress where topic_id = $1 and handler = 'mentions'`,
      [topicId, place],
    )
    expect(rows[0].done).toBe(true)
  })

  it.each([
    ['ids', { action: 'replay', reason: 'because' }],
    ['ids', { action: 'replay', ids: [], reason: 'because' }],
    ['ids.0', { action: 'replay', ids: ['*'], reason: 'because' }],
    ['reason', { action: 'replay', ids: ['1-0'], reason: ' ' }],
    ['action', { action: 'delete', ids: ['1-0'], reason: 'because' }],
    ['filter.handler', { action: 'replay', filter: { handler: 'x' }, reason: 'because' }],
  ])('bad input names its field: %s', async (field, input) => {
    expect(await operator.refusal('ops.dlq.act', input)).toMatchObject({ status: 400, body: { field } })
  })

  it('[FEED-17] the overview has every part, and says which is down when Redis is away', async () => {
    const picture = await operator.query('ops.overview')
    expect(picture).toMatchObject({ down: [], group: { pending: expect.any(Number) }, deadLetters: 0 })
    expect(picture.handlers.map((one: { name: string; enabled: boolean }) => [one.name, one.enabled])).toEqual([
      ['mentions', true],
      ['webhooks', true],
      ['edge-relay', false],
    ])
    await product.services.delivery.refreshFigures()
    await product.redisServer.kill()
    const away = await operator.query('ops.overview')
    expect(away).toMatchObject({ down: ['redis'], group: null, outbox: { waiting: expect.any(Number) } })
    expect(away.processes).toHaveLength(1)
    expect((await operator.refusal('ops.dlq.list', {}, 'query')).body.code).toBe('UNAVAILABLE')
    const { gauges } = await operator.query('ops.trends', { minutes: 60 })
    expect(gauges.pending.at(-1)).toEqual(expect.any(Number))
    expect((await operator.refusal('ops.trends', { minutes: 7 }, 'query')).body.field).toBe('minutes')
    const path = { name: '../../package' }
    expect((await operator.refusal('ops.runbooks.show', path, 'query')).body.code).toBe('NOT_FOUND')
    await product.redisServer.restart()
    await expect.poll(async () => (await operator.query('ops.overview')).down, EVENTUALLY).toEqual([])
  })

  it('[DLV-8] figures of the group are metrics', async () => {
    await product.services.delivery.refreshFigures()
    const text = await (await fetch(`${product.base}/metrics`)).text()
    for (const name of [
      ...['sse_pel_total_pending', 'sse_pel_oldest_age_seconds', 'sse_stream_lag', 'dlq_depth', 'outbox_lag_seconds'],
      ...[
        'delivery_acks_total{handler="mentions"}',
        'delivery_failures_total{handler="webhooks",class="client_crash"}',
      ],
      ...[
        'delivery_schedule_size{handler="edge-relay"}',
        'log_beat_age_seconds',
        'redis_family_memory_bytes{family="log"}',
      ],
      'sse_pel_consumer_pending{consumer=',
    ])
      expect(text).toContain(name)
  })
})
