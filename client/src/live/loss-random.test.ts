// A list through losses that are longer than a page, with the real state machines: events go on while the questions of a
// client that starts over are still on their way. Whatever was missed, what the list shows is never with a hole in it.
import { describe, expect, it } from 'vitest'
import { seededRandom } from '#shared/clock.ts'
import type { LogEvent } from '#shared/live-events.ts'
import type { Answer, Ask } from './receiver.ts'
import { handClock, ImaginedServer } from './testing.ts'
import { openTestTab, type Stream, type TestServer } from './testing-tab.ts'

const LIMIT = 25
const SEEDS = 200
const STEPS = 60

const place = (n: number) => `epoch1.${n}-0`
const numberOf = (position: string) => Number(/\.(\d+)-/.exec(position)?.[1])

/** Answers wait until the test lets them go, and tell of the moment at which they were asked. */
class SlowService implements TestServer {
  readonly data = new ImaginedServer()
  readonly waiting: (() => void)[] = []
  stream: Stream | null = null
  /** Up to here the stream has told. */
  told = 0

  #later<T>(answer: T): Promise<T> {
    return new Promise((resolve) => this.waiting.push(() => resolve(answer)))
  }
  newest = () => ({ ...this.data.page(null, LIMIT), liveCursor: place(this.data.log.length) })
  renew = () => this.#later(this.newest())
  renewals = (ids: readonly number[]) => this.data.renewals(ids)
  ask = (ask: Ask): Promise<Answer> => {
    // Whoever asks what came after a place is told that it is too old: the loss is never mended by events.
    const page = this.newest()
    return this.#later({ ok: true, page: 'newest' in ask ? page : { ...page, items: [], updates: [], reset: true } })
  }
  connect = (url: string, stream: Stream) => {
    this.stream = stream
    this.told = numberOf(new URL(url, 'http://feed').searchParams.get('cursor') ?? place(0))
    return true
  }
  send(event: string, id: number, body: unknown) {
    this.stream?.write(`id: ${place(id)}\nevent: ${event}\ndata: ${JSON.stringify(body)}\n\n`)
  }
  tell() {
    for (; this.told < this.data.log.length; this.told++) {
      const log: LogEvent = this.data.log[this.told]!
      this.send(log.kind, this.told + 1, log.event)
    }
  }
  /** The stream skips what it has not told yet, and says so. */
  reset() {
    this.told = this.data.log.length
    const control = { type: 'reset', liveCursor: place(this.told), reason: 'position-too-old' }
    this.stream?.write(`event: control\ndata: ${JSON.stringify(control)}\n\n`)
  }
}

async function live(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const below = (n: number) => Math.floor(random() * n)
  const service = new SlowService()
  for (let i = 0; i < 40; i++) service.data.publish(1 + below(3), 0)
  const clock = handClock()
  const tab = openTestTab({ clock, server: service })
  const publish = (most: number) => {
    for (let i = below(most); i >= 0; i--) service.data.publish(1 + below(3), below(30))
  }
  const check = () => {
    const published = service.data.activities().map((item) => item.id)
    const shown = tab.shown()
    const from = published.indexOf(shown[0]!)
    return { shown, expected: published.slice(from, from + shown.length) }
  }
  tab.start()
  await tab.settle()
  for (let step = 0; step < STEPS; step++) {
    const what = random()
    if (what < 0.35) {
      publish(16)
      service.tell()
    } else if (what < 0.5) {
      publish(below(3) === 0 ? 60 : 6)
      service.reset()
    } else if (what < 0.55) {
      // Some are lost on the way, which shows with the next of their topic.
      const topic = 1 + below(3)
      for (let i = below(20); i >= 0; i--) service.data.publish(topic, below(30))
      service.told = service.data.log.length
      service.data.publish(topic, below(30))
      service.tell()
    } else service.waiting.splice(below(2), 1)[0]?.()
    await tab.settle()
    if (random() < 0.2) await clock.pass(below(8_000))
  }
  for (let round = 0; round < 30; round++) {
    service.tell()
    for (const answer of service.waiting.splice(0)) answer()
    await clock.pass(15_000)
    await tab.settle()
    service.send('beat', service.told, { position: place(service.told), beatAgeMs: 0 })
  }
  service.reset()
  for (let round = 0; round < 10; round++) {
    await tab.settle()
    for (const answer of service.waiting.splice(0)) answer()
  }
  const { shown, expected } = check()
  expect(shown).toEqual(expected)
  expect(shown[0]).toBe(service.data.activities()[0]!.id)
  tab.live.stop()
}

describe('losses, at random', () => {
  for (let seed = 1; seed <= SEEDS; seed++)
    it(`[LIVE-2] [FEED-13] after a loss that is longer than a page a list has no hole (seed ${seed})`, () => live(seed))
})
