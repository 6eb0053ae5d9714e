// The handlers on a real Postgres and Redis, against real HTTP receivers.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { DeliveryEntry } from '#server/app/delivery-ports.ts'
import { createActivityChanges } from '#server/db/activity-changes.ts'
import { createMentionNotices, createPublicTarget } from '#server/db/handler-stores.ts'
import { AnswerFailure, classify } from '#server/domain/delivery/failure.ts'
import type { Handler } from './handler.ts'
import { createMentionsHandler } from './handlers/mentions.ts'
import { createWebhooksHandler } from './handlers/webhooks.ts'
import { signature } from './post-signed.ts'
import { ADA, openStage, type Stage } from './stage.fixture.ts'

type Request = { method: string; url: string; headers: IncomingMessage['headers']; body: string }
type Answer = (request: Request) => number

/** A receiver that answers as it is told. */
async function openReceiver() {
  const requests: Request[] = []
  let answer: Answer = () => 204
  const server: Server = createServer(async (req, res) => {
    const request = { method: req.method!, url: req.url!, headers: req.headers, body: await text(req) }
    requests.push(request)
    res.writeHead(answer(request)).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (next: Answer) => {
      answer = next
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

describe('handlers', () => {
  let stage: Stage
  let receiver: Awaited<ReturnType<typeof openReceiver>>
  const signal = new AbortController().signal
  beforeAll(async () => {
    stage = await openStage()
    receiver = await openReceiver()
  })
  afterEach(() => {
    receiver.requests.length = 0
    receiver.answer(() => 204)
  })
  afterAll(async () => {
    await receiver.stop()
    await stage.stop()
  })

  const publish = async (topic: string, summary: string): Promise<DeliveryEntry> => {
    const { read: _, ...activity } = await stage.publisher.publish(ADA, {
      topic,
      verb: 'posted',
      summary,
      metadata: {},
    })
    await stage.publisher.settle()
    const place = { topicId: activity.topic.id, seq: activity.seq }
    const data = JSON.stringify({ topic: place.topicId, seq: place.seq, activity })
    return { ...place, id: '1-0', epoch: 'e', kind: 'activity', data, again: false }
  }
  /** Other words for an activity, or its end; as the log tells of it. */
  const change = async (kind: 'update', id: number, words: { summary: string; mentions: string[] } | null) => {
    const changes = createActivityChanges(stage.pool)
    const outcome = await (words ? changes.rewrite('ada', id, words) : changes.remove('ada', id))
    if (outcome.outcome !== 'changed') throw new Error(outcome.outcome)
    const { topicId, seq } = outcome
    const data = JSON.stringify({ topic: topicId, seq, change: outcome.change })
    return { topicId, seq, id: '1-0', epoch: 'e', kind, data, again: false } satisfies DeliveryEntry
  }
  const fate = async (handler: Handler, ...entries: DeliveryEntry[]) =>
    (await handler.handle(entries, signal)).map((outcome) =>
      outcome.is === 'failed' ? classify(outcome.error) : outcome.is,
    )

  it('[DLV-3] mentions: a notice for each person who may see it now, once, and none for the author', async () => {
    await stage.newTopic('team/secret', 'private')
    await stage.newTopic('project/open')
    const handler = createMentionsHandler(createMentionNotices(stage.pool))
    const open = await publish('project/open', 'hello @ben @ada @nobody')
    const secret = await publish('team/secret', 'psst @ada')
    // Named in the payload, as if they had been a member then: rights count when the notice is written.
    const removed = { ...secret, data: secret.data.replace('"mentions":["ada"]', '"mentions":["cleo"]') }
    expect(await fate(handler, open, removed)).toEqual(['done', 'done'])
    expect(await fate(handler, open)).toEqual(['done'])
    const noticed = async () => (await stage.pool.query('select user_id from mention_notices order by 1')).rows
    expect(await noticed()).toEqual([{ user_id: 'ben' }])

    const { id } = JSON.parse(open.data).activity
    const edited = await change('update', id, { summary: 'hello @cleo', mentions: ['cleo'] })
    expect(await fate(handler, edited)).toEqual(['done'])
    expect(await noticed()).toEqual([{ user_id: 'cleo' }])
    const gone = await change('update', id, null)
    // What was said before it comes too late.
    expect(await fate(handler, gone, edited, open)).toEqual(['done', 'done', 'done'])
    expect(await noticed()).toEqual([])
  })

  it('[DLV-4] mentions: a payload that is none fails for good, and the others are not held up', async () => {
    const handler = createMentionsHandler(createMentionNotices(stage.pool))
    const good = await publish('project/open', 'hello @cleo')
    expect(await fate(handler, { ...good, data: '{' }, good, { ...good, data: '{"activity":{}}' })).toEqual([
      ...['permanent', 'done', 'permanent'],
    ])
    const { rows } = await stage.pool.query(`select 1 from mention_notices where user_id = 'cleo'`)
    expect(rows).toHaveLength(1)
  })

  it('[DLV-3] [FEED-3] webhooks: public activities and what becomes of them are posted signed, private ones never', async () => {
    const secret = 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ='
    const handler = createWebhooksHandler(null, createPublicTarget(stage.pool, { url: `${receiver.url}/hook`, secret }))
    const open = await publish('project/open', 'one')
    const hidden = await publish('team/secret', 'two')
    const talk: DeliveryEntry = { ...open, kind: 'update', data: '{"topic":1,"seq":2,"change":{"kind":"talk"}}' }
    const gone = await change('update', JSON.parse(open.data).activity.id, null)
    expect(await fate(handler, open, hidden, talk, gone)).toEqual(['done', 'done', 'done', 'done'])
    expect(receiver.requests.map(({ body }) => body).toSorted()).toEqual([open.data, gone.data].toSorted())
    const { headers, body } = receiver.requests.find(({ body }) => body === open.data)!
    expect(headers['webhook-id']).toBe(`evt_${open.topicId}_${open.seq}`)
    const seconds = Number(headers['webhook-timestamp'])
    expect(headers['webhook-signature']).toBe(signature(secret, headers['webhook-id'] as string, seconds, body))
  })

  it('[DLV-4] webhooks: the answer decides the class, and a receiver that is gone is expected back', async () => {
    const handler = createWebhooksHandler(
      null,
      createPublicTarget(stage.pool, { url: receiver.url, secret: 's'.repeat(16) }),
    )
    const entry = await publish('project/open', 'x')
    const classes: string[] = []
    for (const status of [200, 302, 400, 404, 410, 408, 425, 429, 500, 503]) {
      receiver.answer(() => status)
      classes.push(`${status} ${(await fate(handler, entry))[0]}`)
    }
    expect(classes).toEqual([
      ...['200 done', '302 permanent', '400 permanent', '404 permanent', '410 permanent', '408 transient'],
      ...['425 transient', '429 transient', '500 transient', '503 transient'],
    ])
    const nobody = await openReceiver()
    await nobody.stop()
    const gone = createWebhooksHandler(
      null,
      createPublicTarget(stage.pool, { url: nobody.url, secret: 's'.repeat(16) }),
    )
    expect(await fate(gone, entry)).toEqual(['client_crash'])
  })

  it('[DLV-4] webhooks: Retry-After is heard, and errors do not repeat the path of the address', async () => {
    const server = createServer((_req, res) => res.writeHead(429, { 'retry-after': '7' }).end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token-in-the-path?key=1`
    const handler = createWebhooksHandler(null, createPublicTarget(stage.pool, { url, secret: 's'.repeat(16) }))
    const [outcome] = await handler.handle([await publish('project/open', 'x')], signal)
    const error = outcome?.is === 'failed' ? (outcome.error as AnswerFailure) : null
    expect(error).toBeInstanceOf(AnswerFailure)
    expect(error).toMatchObject({ status: 429, retryAfterMs: 7_000 })
    expect(error!.message).not.toContain('token')
    server.close()
  })
})
