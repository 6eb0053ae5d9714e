// The client's own machinery on the real product with the real edge: whatever way is taken away and given back, in whatever
// order, a reader ends with everything once and in order, and on the best way that works.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { edgeVars } from '#scripts/edge/edge-vars.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { startProxy, type TcpProxy } from '#scripts/testing/tcp-proxy.ts'
import { seededRandom } from '#shared/clock.ts'
import { hurriedClock } from './hurried-clock.fixture.ts'
import type { Reader } from './reader.fixture.ts'
import { EVENTUALLY, newCast, openReader, openStage, PATIENT, showsAll } from './stage.fixture.ts'
import { startWriters } from './writers.fixture.ts'

const SECRET = 'a secret of the tests that is long enough'
const SEED = 20_261_118
const HURRY = 4

describe('edge, server, polling', { timeout: 2 * PATIENT }, () => {
  let edge: Edge
  let edgeWire: TcpProxy
  let wire: TcpProxy
  let stage: Awaited<ReturnType<typeof openStage>>
  let reader: Reader
  beforeAll(async () => {
    edge = await startTestEdge({ ...edgeVars(SECRET), EDGE_BEAT_MS: '500', EDGE_SSE_LIFE_MS: '2000' })
    edgeWire = await startProxy(Number(new URL(edge.url).port))
    stage = await openStage({ EDGE_URL: edgeWire.url, AUTH_SECRET: SECRET })
    wire = await startProxy(stage.product.port)
  }, PATIENT)
  afterEach(() => reader.stop())
  afterAll(async () => {
    await wire.stop()
    await stage.stop()
    await edgeWire.stop()
    await edge.stop()
  })

  const away = (one: TcpProxy, on: boolean) => {
    one.refuse(on)
    if (on) one.cut()
  }
  const via = () => {
    const connection = reader.connection()
    return connection.state === 'live' ? connection.via : connection.state
  }
  const uses = (way: string) => expect.poll(via, EVENTUALLY).toBe(way)

  it('[LIVE-11] ways that come and go at random', async () => {
    const random = seededRandom(SEED)
    const { writer, people, topics } = await newCast(stage.product.url)
    reader = await openReader(people[0]!, { base: wire.url, clock: hurriedClock(HURRY), seed: SEED })
    const writers = startWriters(writer, topics)
    for (let step = 0; step < 10; step++) {
      const roll = random()
      if (roll < 0.35) away(edgeWire, random() < 0.5)
      else if (roll < 0.6) away(wire, random() < 0.4)
      else if (roll < 0.8) (random() < 0.5 ? edgeWire : wire).tear()
      await writers.more(1 + Math.floor(random() * 12))
    }
    for (const one of [wire, edgeWire]) away(one, false)
    await uses('edge')
    await showsAll(reader, await writers.stop())
    expect(reader.losses(), `seed ${SEED}`).toMatchObject({ repeats: 0 })
  })
})
