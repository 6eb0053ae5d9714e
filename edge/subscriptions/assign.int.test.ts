// A session as the origin server keeps it, on workerd: all that it listens to in one word, what is said to it alone, and
// the origin's beat on its stream.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { type EdgeCaller, edgeCaller } from '#scripts/testing/edge-subscriber.ts'
import { edgeToken, TEST_KEYS, TEST_PROJECT } from '#scripts/testing/edge-tokens.ts'
import { seededRandom } from '#shared/clock.ts'

let edge: Edge
let { call, publish, items, topic } = {} as EdgeCaller
beforeAll(async () => {
  edge = await startTestEdge({ EDGE_PROJECT_KEYS: TEST_KEYS, EDGE_BEAT_MS: '100' })
  ;({ call, publish, items, topic } = await edgeCaller(edge.url))
})
afterAll(() => edge.stop())

const assign = (sessionId: string, version: number, streamIds: string[]) =>
  call('PUT', `session/${sessionId}`, { version, streamIds })

describe('[SUB-2] a session is assigned what it listens to', () => {
  test('all of it is joined before the answer, and what does not exist is named', async () => {
    const [one, two, sessionId] = [await topic(), await topic(), randomUUID()]
    await publish(one, { n: 0 })
    const answer = await assign(sessionId, 3, [one, two, 'topic:nobody'])
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      ...{ sessionId, version: 3, isNewSession: true, missing: ['topic:nobody'], startOffset: expect.any(String) },
      sessionStreamPath: `/v1/${TEST_PROJECT}/stream/session:${sessionId}`,
    })
    await Promise.all([publish(one, { n: 1 }), publish(two, { n: 2 })])
    expect(await items(sessionId)).toEqual(expect.arrayContaining([{ n: 1 }, { n: 2 }]))
  })

  test('what the next word leaves out is never heard again; an older word changes nothing', async () => {
    const [kept, left, sessionId] = [await topic(), await topic(), randomUUID()]
    await assign(sessionId, 1, [kept, left])
    expect(await (await assign(sessionId, 2, [kept])).json()).toMatchObject({ isNewSession: false, missing: [] })
    expect((await assign(sessionId, 1, [kept, left])).status).toBe(409)
    await publish(left, { secret: true })
    await publish(kept, { n: 1 })
    expect(await items(sessionId)).toEqual([{ n: 1 }])
    expect((await assign(sessionId, 2, [])).status).toBe(200)
    await publish(kept, { n: 2 })
    expect(await items(sessionId)).toEqual([{ n: 1 }])
  })

  test('words that arrive in any order and at the same moment: the newest one holds', async () => {
    const seed = 20_261_118
    const random = seededRandom(seed)
    const topics = await Promise.all(Array.from({ length: 6 }, topic))
    for (let round = 0; round < 5; round++) {
      const sessionId = randomUUID()
      const words = Array.from({ length: 6 }, (_, index) => ({
        version: index + 1,
        streamIds: topics.filter(() => random() < 0.5),
      }))
      await Promise.all(
        words.toSorted(() => random() - 0.5).map(({ version, streamIds }) => assign(sessionId, version, streamIds)),
      )
      await Promise.all(topics.map((id) => publish(id, { round, id })))
      const heard = ((await items(sessionId)) as { id: string }[]).map(({ id }) => id)
      expect(heard.toSorted(), `seed ${seed}, round ${round}`).toEqual(words.at(-1)!.streamIds.toSorted())
    }
  })

  test('a bad word is refused, and only the origin may speak', async () => {
    const sessionId = randomUUID()
    for (const body of [{}, { version: -1, streamIds: [] }, { version: 1, streamIds: ['session:x'] }, 'x'])
      expect((await call('PUT', `session/${sessionId}`, body)).status).toBe(400)
    const Authorization = `Bearer ${await edgeToken({ scope: 'read', stream: `session:${sessionId}` })}`
    for (const [method, path] of [
      ['PUT', `session/${sessionId}`],
      ['POST', `session/${sessionId}/tell`],
      ['POST', 'beat'],
    ] as const)
      expect((await call(method, path, { version: 9, streamIds: [] }, { Authorization })).status).toBe(403)
    expect((await call('POST', `session/${sessionId}/tell`, { a: 1 })).status).toBe(404)
  })

  test('what is said to a session alone stands in its stream, in order with the rest', async () => {
    const [source, sessionId] = [await topic(), randomUUID()]
    await assign(sessionId, 1, [source])
    await publish(source, { n: 1 })
    expect((await call('POST', `session/${sessionId}/tell`, { name: 'bell' })).status).toBe(204)
    await publish(source, { n: 2 })
    expect(await items(sessionId)).toEqual([{ n: 1 }, { name: 'bell' }, { n: 2 }])
  })
})

test('[LIVE-11] a reader that asks for it hears how old the origin’s beat is, among whatever else it hears', async () => {
  const [source, sessionId] = [await topic(), randomUUID()]
  const { startOffset } = (await (await assign(sessionId, 1, [source])).json()) as { startOffset: string }
  const token = await edgeToken({ scope: 'read', stream: `session:${sessionId}`, seconds: 100 })
  const path = `${edge.url}/v1/${TEST_PROJECT}/stream/session:${sessionId}`
  const answer = await fetch(`${path}?offset=${startOffset}&live=sse&beat=true`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const until = async (wanted: RegExp) => {
    while (!wanted.test(text)) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`the stream ended: ${text}`)
      text += value
    }
  }
  await until(/event: beat\ndata:\{"beatAgeMs":null\}/)
  expect((await call('POST', 'beat', { beatAgeMs: 5_000 })).status).toBe(204)
  expect((await call('POST', 'beat', { beatAgeMs: -1 })).status).toBe(400)
  await publish(source, { n: 1 })
  await until(/event: data\ndata:\[\{"n":1\}\]/)
  await until(/event: beat\ndata:\{"beatAgeMs":\d{4,5}\}/)
  await reader.cancel()
})
