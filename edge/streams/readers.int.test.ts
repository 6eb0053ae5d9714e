// Live readers: none keeps the stream's object awake, and none that left leaves anything behind.
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'

const SLEEP_MS = 11_500
let edge: Edge
beforeAll(async () => {
  edge = await startTestEdge({ EDGE_HEARTBEAT_MS: '500' })
})
afterAll(() => edge.stop())

const address = (id: string) => `${edge.url}/v1/stream/${id}`
const post = (id: string, body: string) =>
  fetch(address(id), { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body })

async function open(id: string) {
  const stop = new AbortController()
  const response = await fetch(`${address(id)}?offset=-1&live=sse`, { signal: stop.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    leave: () => stop.abort(),
    until: async (wanted: string) => {
      while (!text.includes(wanted)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`it ended before ${wanted}: ${text}`)
        text += value
      }
      return text
    },
  }
}

const readers = async (id: string): Promise<number> =>
  Number((await fetch(address(id), { method: 'HEAD' })).headers.get('Stream-Readers'))

describe('[STR-4] live readers', () => {
  test('five hundred come, hear, and go without a word; none is left on the stream', async () => {
    await fetch(address('busy'), { method: 'PUT', headers: { 'Content-Type': 'text/plain' } })
    for (let round = 0; round < 5; round++) {
      const opened = await Promise.all(Array.from({ length: 100 }, () => open('busy')))
      await Promise.all(opened.map((reader) => reader.until('upToDate')))
      expect(await readers('busy')).toBeGreaterThanOrEqual(100)
      await post('busy', `round-${round}.`)
      await Promise.all(opened.map((reader) => reader.until(`round-${round}.`)))
      for (const reader of opened) reader.leave()
    }
    await expect.poll(() => readers('busy'), { timeout: 30_000, interval: 200 }).toBe(0)
  })

  test('while one reader does not read at all, others are not kept waiting, and it misses nothing', async () => {
    await fetch(address('slow'), { method: 'PUT', headers: { 'Content-Type': 'text/plain' } })
    const [slow, quick] = await Promise.all([open('slow'), open('slow')])
    await Promise.all([slow.until('upToDate'), quick.until('upToDate')])
    const expected = Array.from({ length: 300 }, (_, n) => `<${n}>`.padEnd(1_000, '.'))
    for (const part of expected) await post('slow', part)
    await quick.until('<299>')
    const seen = [...(await slow.until('<299>')).matchAll(/<(\d+)>/g)].map((match) => Number(match[1]))
    expect(seen).toEqual(expected.map((_, n) => n))
    slow.leave()
    quick.leave()
  })

  test('a quiet stream sleeps although somebody reads it, and wakes for the next append, which the reader hears', async () => {
    await fetch(address('quiet'), { method: 'PUT', headers: { 'Content-Type': 'text/plain' } })
    const reader = await open('quiet')
    await reader.until('upToDate')
    const starts = async () =>
      Number(/^streams_object_starts_total (\d+)$/m.exec(await (await fetch(`${edge.url}/metrics`)).text())?.[1])
    const before = await starts()
    // workerd lets an object go after ten quiet seconds; asking whether it sleeps would wake it, so each try waits as long.
    let woken = false
    for (let attempt = 0; attempt < 4 && !woken; attempt++) {
      await wait(SLEEP_MS)
      await post('quiet', `after-${attempt}.`)
      await reader.until(`after-${attempt}.`)
      woken = (await starts()) > before
    }
    expect(woken).toBe(true)
    reader.leave()
  })
})
