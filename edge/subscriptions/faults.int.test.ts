// Fan-out while things go wrong in the middle of it: objects that fall asleep, answers that are lost, a queue that loses,
// doubles and shuffles. Publishing goes on, and afterwards nothing is missing, repeated or out of order anywhere.
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type EdgeHarness, startEdgeHarness } from '#scripts/testing/edge-harness.ts'
import { type EdgeCaller, edgeCaller } from '#scripts/testing/edge-subscriber.ts'
import { TEST_KEYS, TEST_PROJECT } from '#scripts/testing/edge-tokens.ts'
import { seededRandom } from '#shared/clock.ts'

const PATIENCE = { timeout: 100_000, interval: 200 }
const LIMIT_MS = 120_000
let edge: EdgeHarness
let { call, subscribe, publish, items, topic } = {} as EdgeCaller
beforeAll(async () => {
  edge = await startEdgeHarness({
    ...{ EDGE_PROJECT_KEYS: TEST_KEYS, EDGE_BREAKER_MS: '1000' },
    ...{ EDGE_QUEUE_THRESHOLD: '20', EDGE_REPAIR_MS: '500' },
  })
  ;({ call, subscribe, publish, items, topic } = await edgeCaller(edge.url))
})
afterAll(() => edge.stop())
afterEach(() => edge.setFaults({}))

const objectOf = (id: string) => `${TEST_PROJECT}/${id}`

async function listeners(source: string, count: number): Promise<string[]> {
  const sessions = Array.from({ length: count }, () => randomUUID())
  const answers = await Promise.all(sessions.map((sessionId) => subscribe(sessionId, source)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  return sessions
}

async function logOf(source: string, offset = '-1'): Promise<unknown[]> {
  return (await (await call('GET', `stream/${source}?offset=${offset}`)).json()) as unknown[]
}

/** As the relay does it: again until the edge has it, whoever lost the answer. */
async function publishSurely(source: string, n: number): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const { status } = await publish(source, { n }, { 'Stream-Seq': String(n).padStart(6, '0') })
    if (status === 204 || status === 409) return
    expect(status).toBe(503)
  }
  throw new Error('never taken')
}

describe('[SUB-3] a publish that dies on its way', () => {
  test.each([
    ['before the source has it', { post: 1 }, []],
    ['after the source has it, before anybody else', { postLost: 1 }, [{ n: 1 }]],
  ] as const)(
    '%s: nobody publishes again, the object loses its memory, and listeners are as far as the source',
    async (_, faults, wanted) => {
      const source = await topic()
      const [sessionId = ''] = await listeners(source, 1)
      await edge.setFaults(faults)
      expect((await publish(source, { n: 1 })).status).toBe(503)
      await edge.setFaults({})
      await edge.evict('SUBSCRIPTION_DO', objectOf(source))
      await expect.poll(() => items(sessionId), PATIENCE).toEqual(wanted)
      const intents = () => edge.sql('SUBSCRIPTION_DO', objectOf(source), 'SELECT id FROM intents')
      await expect.poll(intents, PATIENCE).toEqual([])
      expect(await logOf(source)).toEqual(wanted)
    },
    LIMIT_MS,
  )

  test('one whose answer was lost is repeated: stored once, heard once', async () => {
    const source = await topic()
    const [sessionId = ''] = await listeners(source, 1)
    await edge.setFaults({ postLost: 1 })
    expect((await publish(source, { n: 1 }, { 'Stream-Seq': '1' })).status).toBe(503)
    await edge.setFaults({})
    expect((await publish(source, { n: 1 }, { 'Stream-Seq': '1' })).status).toBe(409)
    await expect.poll(() => items(sessionId), PATIENCE).toEqual([{ n: 1 }])
  })
})

describe('[SUB-5] while sessions cannot be reached', () => {
  test(
    'the breaker opens, publishing succeeds all the while, and everybody is caught up, in order and once',
    async () => {
      const source = await topic()
      const sessions = await listeners(source, 8)
      await publish(source, { n: 0 })
      await edge.setFaults({ deliver: 1 })
      const modes: (string | null)[] = []
      for (let n = 1; n <= 9; n++) {
        const answer = await publish(source, { n })
        expect(answer.status).toBe(204)
        modes.push(answer.headers.get('Stream-Fanout-Mode'))
      }
      expect(modes[0]).toBe('inline')
      expect(modes).toContain('circuit-open')
      expect(await items(sessions[0]!)).toEqual([{ n: 0 }])
      await edge.setFaults({})
      const log = await logOf(source)
      expect(log).toHaveLength(10)
      await expect.poll(() => Promise.all(sessions.map(items)), PATIENCE).toEqual(sessions.map(() => log))
    },
    LIMIT_MS,
  )

  test('a touch brings what no delivery did', async () => {
    const source = await topic()
    const [sessionId = ''] = await listeners(source, 1)
    await publish(source, { n: 1 })
    // Past the subscription worker, so that nobody owes it to anybody.
    await call('POST', `stream/${source}`, { n: 2 })
    expect((await call('POST', `session/${sessionId}/touch`)).status).toBe(200)
    await expect.poll(() => items(sessionId), PATIENCE).toEqual([{ n: 1 }, { n: 2 }])
  })
})

describe('[SUB-3] many listeners go through the queue', () => {
  test.each([
    ['keeps its word', {}],
    ['loses everything', { queueLoses: 1 }],
    ['loses, doubles and shuffles', { queueLoses: 0.4, queueDoubles: 0.6, seed: 11 }],
    ['takes nothing', { queueRefuses: 1 }],
    ['redelivers, because sessions fail half the time', { deliver: 0.3, deliverLost: 0.3, seed: 12 }],
  ])(
    'which %s: everybody has everything, in order and once',
    async (_, faults) => {
      const source = await topic()
      const sessions = await listeners(source, 60)
      await edge.setFaults(faults)
      for (let n = 1; n <= 4; n++) {
        const answer = await publish(source, { n })
        expect(answer.status).toBe(204)
        expect(answer.headers.get('Stream-Fanout-Count')).toBe('60')
        expect(answer.headers.get('Stream-Fanout-Mode')).toBe('queueRefuses' in faults ? 'deferred' : 'queued')
      }
      await edge.setFaults({})
      const wanted = [1, 2, 3, 4].map((n) => ({ n }))
      await expect.poll(() => Promise.all(sessions.map(items)), PATIENCE).toEqual(sessions.map(() => wanted))
    },
    LIMIT_MS,
  )
})

describe('[SUB-4] a random life', () => {
  test.each([20_261_118, 7, 42])(
    'seed %i: publishes, arrivals, departures, sleep and every fault, and each copy is its source, in order and once',
    async (seed) => {
      const random = seededRandom(seed)
      const pick = <Item>(list: Item[]): Item => list[Math.floor(random() * list.length)]!
      const topics = await Promise.all([topic(), topic(), topic()])
      const sent = new Map(topics.map((id) => [id, 0]))
      // Those who stay from the beginning, and those who come and go.
      const steady = await Promise.all(topics.map((id) => listeners(id, 4)))
      const restless = Array.from({ length: 4 }, () => ({ sessionId: randomUUID(), source: pick(topics), start: '' }))
      let sleeping = Promise.resolve(true)
      for (let step = 0; step < 60; step++) {
        const roll = random()
        const source = pick(topics)
        if (roll < 0.5) {
          const n = sent.get(source)! + 1
          sent.set(source, n)
          await publishSurely(source, n)
        } else if (roll < 0.65) {
          const [somebody, likely] = [pick(restless), () => (random() < 0.5 ? random() * 0.5 : 0)]
          const body = { sessionId: somebody.sessionId, streamId: somebody.source }
          if (somebody.start === '') {
            const answer = await call('POST', 'subscribe', body)
            if (answer.ok) somebody.start = ((await answer.json()) as { startOffset?: string }).startOffset ?? ''
          } else {
            // Also one that failed: the session's alarm brings it to its end.
            await call('DELETE', 'unsubscribe', body)
            somebody.start = ''
          }
          await edge.setFaults({
            ...{ deliver: likely(), deliverLost: likely(), post: likely(), postLost: likely(), joinLost: likely() },
            ...{ leave: likely(), seed: seed + step },
          })
        } else if (roll < 0.85) {
          const name = random() < 0.5 ? objectOf(source) : objectOf(`session:${pick(pick(steady))}`)
          const kind = name.includes('session:') || random() < 0.5 ? 'STREAM_DO' : 'SUBSCRIPTION_DO'
          sleeping = sleeping.then(() => edge.evict(kind, name))
        } else await call('POST', `session/${pick(pick(steady))}/touch`)
      }
      await edge.setFaults({})
      await sleeping
      for (const [at, source] of topics.entries()) {
        const log = await logOf(source)
        expect(log).toEqual(Array.from({ length: sent.get(source)! }, (_, n) => ({ n: n + 1 })))
        await expect.poll(() => Promise.all(steady[at]!.map(items)), PATIENCE).toEqual(steady[at]!.map(() => log))
      }
      for (const { sessionId, source, start } of restless) {
        if (start === '') continue
        const rest = await logOf(source, start)
        const heard = async () => (await items(sessionId)) as { n: number }[]
        // Everything since it came last; before that whatever it was there for, and never anything twice or back.
        await expect.poll(async () => (await heard()).slice(-rest.length || Infinity), PATIENCE).toEqual(rest)
        const numbers = (await heard()).map(({ n }) => n)
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
      }
    },
    LIMIT_MS,
  )
})
