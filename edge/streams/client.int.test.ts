// The public client library of the protocol reads and writes our streams as it would anybody's.
import { DurableStream, IdempotentProducer, stream } from '@durable-streams/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startTestEdge()
})
afterAll(() => edge.stop())

const address = (id: string) => `${edge.url}/v1/stream/${id}`
type Item = { n: number }

describe('[STR-1] @durable-streams/client', () => {
  test.each(['long-poll', 'sse'] as const)(
    'follows by %s what is written meanwhile, and hears the end',
    async (live) => {
      const writer = await DurableStream.create({ url: address(`live-${live}`), contentType: 'application/json' })
      await writer.append(JSON.stringify({ n: 0 }))
      const reader = await stream<Item>({ url: address(`live-${live}`), offset: '-1', live })
      const seen: number[] = []
      const reading = (async () => {
        for await (const item of reader.jsonStream()) {
          seen.push(item.n)
          if (item.n < 20) await writer.append(JSON.stringify({ n: item.n + 1 }))
          else await writer.close()
        }
      })()
      await reading
      expect(seen).toEqual(Array.from({ length: 21 }, (_, n) => n))
    },
  )

  test('its idempotent producer writes each batch once and in order', async () => {
    const target = await DurableStream.create({ url: address('produced'), contentType: 'application/json' })
    const producer = new IdempotentProducer(target, 'tests', { autoClaim: true })
    for (let n = 0; n < 500; n++) producer.append(JSON.stringify({ n }))
    await producer.flush()
    await producer.detach()
    const all = await (await stream<Item>({ url: address('produced'), offset: '-1', live: false })).json()
    expect(all.map(({ n }) => n)).toEqual(Array.from({ length: 500 }, (_, n) => n))
  })

  test('resumes where it was', async () => {
    const writer = await DurableStream.create({ url: address('resumed'), contentType: 'text/plain' })
    await writer.append('one')
    const first = await stream({ url: address('resumed'), offset: '-1', live: false })
    expect(await first.text()).toBe('one')
    await writer.append('two')
    expect(await (await stream({ url: address('resumed'), offset: first.offset, live: false })).text()).toBe('two')
  })
})
