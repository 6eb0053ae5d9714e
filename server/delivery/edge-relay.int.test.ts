// The relay against the real edge: Workers on workerd, with a wire in between that can be cut, and an answering machine in
// front for what a healthy edge never says.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { edgeVars } from '#scripts/edge/edge-vars.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { startProxy, type TcpProxy } from '#scripts/testing/tcp-proxy.ts'
import { createBringToEdge } from '#server/app/bring-to-edge.ts'
import type { DeliveryEntry } from '#server/app/delivery-ports.ts'
import { createEdgeCursors } from '#server/db/handler-stores.ts'
import { classify } from '#server/domain/delivery/failure.ts'
import { createEdgeCaller, type EdgeCaller } from '#server/edge-client/edge-caller.ts'
import { edgeKey } from '#server/edge-client/edge-keys.ts'
import { createEdgeStreams } from '#server/edge-client/edge-streams.ts'
import { createEdgeTokens } from '#server/edge-client/edge-tokens.ts'
import { createTopicLease } from '#server/redis/topic-lease.ts'
import { systemClock } from '#shared/clock.ts'
import type { Handler } from './handler.ts'
import { createEdgeRelayHandler } from './handlers/edge-relay.ts'
import { openStage, type Stage } from './stage.fixture.ts'

const SECRET = 'a secret of the tests that is long enough'
const PATIENCE = { timeout: 60_000, interval: 100 }
const signal = new AbortController().signal
const tokens = createEdgeTokens(edgeKey(SECRET), systemClock)

type Item = { topic: number; seq: number; gone?: boolean; activity?: { summary: string } }

describe('the relay to the edge', () => {
  let stage: Stage
  let edge: Edge
  let wire: TcpProxy
  let call: EdgeCaller
  beforeAll(async () => {
    ;[stage, edge] = await Promise.all([openStage(), startTestEdge(edgeVars(SECRET))])
    wire = await startProxy(Number(new URL(edge.url).port))
    call = createEdgeCaller({ url: edge.url, tokens })
  })
  afterAll(async () => {
    await wire.stop()
    await edge.stop()
    await stage.stop()
  })

  const relay = (url = wire.url): Handler => {
    const cursors = createEdgeCursors(stage.pool)
    const bring = createBringToEdge({
      ...{ outbox: stage.outbox, cursors, lease: createTopicLease(stage.redis), leaseMs: 60_000 },
      withdraw: async () => undefined,
      edge: createEdgeStreams(createEdgeCaller({ url, tokens })),
    })
    return createEdgeRelayHandler({ bring, cursors })
  }
  const entry = ({ topicId, seq }: { topicId: number; seq: number }): DeliveryEntry => ({
    ...{ id: '1-0', epoch: 'e', topicId, seq, kind: 'activity', data: '{}', again: false },
  })
  const publish = async (topic: string, count: number, summary?: string) =>
    (await stage.publish(topic, count, summary)).map(entry)
  const fate = async (handler: Handler, ...entries: DeliveryEntry[]) =>
    (await handler.handle(entries, signal)).map((outcome) =>
      outcome.is === 'failed' ? classify(outcome.error) : outcome.is,
    )
  const stored = async (topicId: number): Promise<Item[]> => {
    const reply = await call({ method: 'GET', path: `/stream/topic:${topicId}` })
    return reply.status === 200 ? (JSON.parse(reply.text) as Item[]) : []
  }
  const seqs = async (topicId: number) => (await stored(topicId)).map(({ seq }) => seq)
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

  it('[DLV-3] one hint brings the topic from its cursor to its head, in order, and repeats send nothing', async () => {
    await stage.newTopic('project/one')
    const entries = await publish('project/one', 5)
    const { topicId, seq: last } = entries.at(-1)!
    expect(await fate(relay(), entries[0]!)).toEqual(['done'])
    expect(await seqs(topicId)).toEqual(upTo(last))
    expect((await stored(topicId)).at(-1)!.activity!.summary).toBe('hello 4')
    expect(await fate(relay(), ...entries)).toEqual(entries.map(() => 'done'))
    expect(await seqs(topicId)).toEqual(upTo(last))
  })

  it('[DLV-3] while the edge is away everything fails and nothing is lost; after it, one hint is enough', async () => {
    await stage.newTopic('project/two')
    const before = await publish('project/two', 2)
    expect(await fate(relay(), ...before)).toEqual(['done', 'done'])
    wire.refuse(true)
    wire.cut()
    const during = await publish('project/two', 3)
    for (const fatal of await fate(relay(), ...during)) expect(['transient', 'client_crash']).toContain(fatal)
    // No beat goes there while something is missing.
    const cursors = createEdgeCursors(stage.pool)
    const soon = new Date(systemClock.now() + 60_000)
    expect(await cursors.isBehind(soon)).toBe(true)
    wire.refuse(false)
    expect(await fate(relay(), during[2]!)).toEqual(['done'])
    expect(await cursors.isBehind(soon)).toBe(false)
    expect(await seqs(during[2]!.topicId)).toEqual(upTo(during[2]!.seq))
  })

  it('[DLV-3] an edge that forgot the topic is filled again, and one that is further than we thought gets nothing twice', async () => {
    await stage.newTopic('project/three')
    const [first] = await publish('project/three', 230)
    expect(await fate(relay(), first!)).toEqual(['done'])
    const { topicId } = first!
    expect((await call({ method: 'DELETE', path: `/stream/topic:${topicId}` })).status).toBe(204)
    const [next] = await publish('project/three', 1)
    expect(await fate(relay(), next!)).toEqual(['done'])
    expect(await seqs(topicId)).toEqual(upTo(next!.seq))
    // What we know is older than what the edge has: nothing is sent twice.
    await stage.pool.query('update edge_cursors set seq = 3 where topic_id = $1', [topicId])
    const [last] = await publish('project/three', 1)
    expect(await fate(relay(), last!)).toEqual(['done'])
    expect(await seqs(topicId)).toEqual(upTo(last!.seq))
  })

  it('[DLV-3] two relays at once: one sends, the other waits without using an attempt', async () => {
    await stage.newTopic('project/four')
    const [entryOfFour] = await publish('project/four', 1)
    const held = await createTopicLease(stage.redis).acquire(entryOfFour!.topicId, 60_000)
    expect(await fate(relay(), entryOfFour!)).toEqual(['later'])
    expect(await seqs(entryOfFour!.topicId)).toEqual([])
    await held!.release()
    expect(await fate(relay(), entryOfFour!)).toEqual(['done'])
  })

  it("[STR-5] tokens that the edge does not take are nobody's dead letter: the work waits", async () => {
    await stage.newTopic('project/five')
    const [entryOfFive] = await publish('project/five', 1)
    const cursors = createEdgeCursors(stage.pool)
    const forged = createEdgeTokens(edgeKey('another secret that is long enough too'), systemClock)
    const bring = createBringToEdge({
      ...{ outbox: stage.outbox, cursors, lease: createTopicLease(stage.redis), leaseMs: 60_000 },
      withdraw: async () => undefined,
      edge: createEdgeStreams(createEdgeCaller({ url: edge.url, tokens: forged })),
    })
    expect(await fate(createEdgeRelayHandler({ bring, cursors }), entryOfFive!)).toEqual(['transient'])
    expect(await fate(relay(), entryOfFive!)).toEqual(['done'])
  })

  describe('with an edge that refuses some', () => {
    let front: { url: string; stop: () => void; refuses: (body: string) => number | null }
    beforeAll(async () => {
      const server = createServer(async (req, res) => {
        const body = await text(req)
        const refused = front.refuses(body)
        if (refused !== null) return void res.writeHead(refused).end()
        const headers = Object.fromEntries(
          Object.entries(req.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
        ) as Record<string, string>
        const answer = await fetch(edge.url + req.url, { method: req.method!, headers, ...(body ? { body } : {}) })
        const seq = answer.headers.get('stream-seq')
        res.writeHead(answer.status, seq === null ? {} : { 'stream-seq': seq }).end()
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      front = {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        refuses: () => null,
        stop: () => server.close(),
      }
    })
    afterAll(() => front.stop())

    it('[DLV-3] a refused event leaves a tombstone with its seq and is dead; those around it arrive', async () => {
      await stage.newTopic('project/six')
      const entries = [
        ...(await publish('project/six', 2, 'fine')),
        ...(await publish('project/six', 1, 'poison')),
        ...(await publish('project/six', 2, 'fine again')),
      ]
      front.refuses = (body) => (body.includes('poison') ? 413 : null)
      expect(await fate(relay(front.url), ...entries)).toEqual(['done', 'done', 'permanent', 'done', 'done'])
      const { topicId, seq } = entries[2]!
      const items = await stored(topicId)
      expect(items.map((item) => item.seq)).toEqual(upTo(entries[4]!.seq))
      expect(items[seq - 1]).toEqual({ topic: topicId, seq, gone: true })
      // Whoever brought it, the one whose work it is hears of it.
      expect(await fate(relay(), entries[2]!)).toEqual(['permanent'])
    })

    it('[DLV-3] it stops at the first that fails and goes on there', async () => {
      await stage.newTopic('project/seven')
      const first = await publish('project/seven', 1, 'fine')
      expect(await fate(relay(), ...first)).toEqual(['done'])
      const later = await publish('project/seven', 2, 'late')
      front.refuses = (body) => (body.includes('late') ? 503 : null)
      expect(await fate(relay(front.url), ...first, ...later)).toEqual(['done', 'transient', 'transient'])
      front.refuses = () => null
      expect(await fate(relay(front.url), later[1]!)).toEqual(['done'])
      expect(await seqs(later[1]!.topicId)).toEqual(upTo(later[1]!.seq))
    })
  })

  it('[DLV-4] an edge that is stopped for long: everything is held, then catches up by itself, with no dead letter', async () => {
    await stage.newTopic('project/eight')
    wire.refuse(true)
    wire.cut()
    // Two processes; time runs six hundred times as fast for their breakers and waits.
    const processes = ['a', 'b'].map((name) => stage.delivery(name, [relay()], { pace: 600, handlerTimeoutMs: 30_000 }))
    for (const one of processes) one.start()
    const entries = await publish('project/eight', 40)
    const { topicId, seq: last } = entries.at(-1)!
    const openedBreaker = () => processes.some((one) => one.note().breakers['edge-relay'].phase !== 'closed')
    await expect.poll(openedBreaker, PATIENCE).toBe(true)
    // All of it waits, and none of it uses up its tries while it does.
    const heldBack = async () => (await processes[0]!.queue.schedule(0)).sizes['edge-relay']
    await expect.poll(heldBack, PATIENCE).toBeGreaterThanOrEqual(entries.length)
    wire.refuse(false)
    await expect.poll(() => seqs(topicId), PATIENCE).toEqual(upTo(last))
    await expect.poll(async () => (await processes[0]!.queue.group()).pending, PATIENCE).toBe(0)
    const { letters } = await stage.letters.list({ handler: 'edge-relay' }, null, 100)
    expect(letters.filter((letter) => letter.topicId === topicId)).toEqual([])
    for (const one of processes) await one.stop()
  })
})
