import { describe, expect, it } from 'vitest'
import { type Random, seededRandom } from '#shared/clock.ts'
import { type Ladder, type LadderEffect, type LadderSignal, NEW_LADDER, nextAlarm, stepLadder } from './ladder.ts'
import type { RungSignal } from './rung.ts'

type Unstamped<T> = T extends { now: number; roll: number } ? Omit<T, 'now' | 'roll'> : never

const SLOW_MACHINE_MS = 30_000

/** One browser with the real machines. What it opens and asks is answered by the test, in no time: the fastest case. */
class Client {
  ladder: Ladder = NEW_LADDER
  readonly #random: Random
  constructor(random: Random) {
    this.#random = random
  }
  send(now: number, signal: Unstamped<LadderSignal>): LadderEffect[] {
    const step = stepLadder(this.ladder, { ...signal, now, roll: this.#random() } as LadderSignal)
    this.ladder = step.ladder
    return step.effects
  }
  rung(now: number, signal: RungSignal): LadderEffect[] {
    return this.send(now, { type: 'rung', name: 'server', signal })
  }
  fail(now: number, retryAfterMs: number | null): LadderEffect[] {
    const trouble = retryAfterMs === null ? ({ kind: 'network' } as const) : ({ kind: 'status', status: 503 } as const)
    return this.rung(now, { type: 'broken', now, roll: this.#random(), trouble, retryAfterMs })
  }
  /** Live since long, until now. */
  static lost(now: number, random: Random): Client {
    const client = new Client(random)
    client.send(now, { type: 'start', online: true, hidden: false, edge: false })
    client.hear(now)
    return client
  }
  hear(now: number): LadderEffect[] {
    return [...this.rung(now, { type: 'opened', now }), ...this.rung(now, { type: 'heard', now, beatAgeMs: 0 })]
  }
}

const isOpen = (client: Client) => client.ladder.rungs.server.breaker.phase === 'open'

/** Counts by second. */
class Tally {
  readonly seconds: number[] = []
  add(now: number) {
    const second = Math.floor(now / 1_000)
    this.seconds[second] = (this.seconds[second] ?? 0) + 1
  }
  get peak(): number {
    return Math.max(...this.seconds.map((count) => count ?? 0))
  }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** Performs effects at their moment, with an answer for every opening, until none is left. */
function run(client: Client, now: number, effects: LadderEffect[], polls: Tally, onOpen: () => LadderEffect[]) {
  const left = [...effects]
  for (let effect = left.shift(); effect; effect = left.shift()) {
    if (effect.do === 'open') left.push(...onOpen())
    else if (effect.do === 'poll') {
      polls.add(now)
      left.push(...client.send(now, { type: 'polled', found: 0 }))
    }
  }
}

describe('a herd', () => {
  it(
    '[LIVE-15] a hundred thousand clients that lose the stream at once never poll above one in 5 s by more than 10 %',
    () => {
      const clients = 100_000
      const random = seededRandom(15)
      const polls = new Tally()
      const tries = new Tally()
      // Long enough for the first polls, six rounds of the schedule and all tries before the breaker rests.
      const END = 45_000
      for (let count = 0; count < clients; count++) {
        // No answer depends on another client, so each can be followed to the end by itself.
        const client = Client.lost(0, random)
        const refuse = (now: number) => () => {
          tries.add(now)
          return client.fail(now, null)
        }
        run(client, 0, client.fail(0, null), polls, refuse(0))
        for (let at = nextAlarm(client.ladder, 0); at !== null && at < END; at = nextAlarm(client.ladder, at))
          run(client, at, client.send(at, { type: 'alarm' }), polls, refuse(at))
        expect(client.ladder.rungs.server.breaker.phase).toBe('open')
      }
      expect(polls.seconds.length).toBe(END / 1_000)
      expect(polls.peak).toBeLessThanOrEqual((clients / 5) * 1.1)
      // Nobody is left without answers either: after the first ten seconds everybody asks at least every 6.5 s.
      for (let second = 10; second + 7 <= END / 1_000; second++)
        expect(sum(polls.seconds.slice(second, second + 7))).toBeGreaterThanOrEqual(clients)
      expect(tries.seconds.length).toBeLessThan(5)
    },
    SLOW_MACHINE_MS,
  )

  it(
    '[LIVE-15] [LIVE-6] on the way back, with slots at 100/s and a last poll each, ten thousand stay below it too',
    () => {
      const clients = 10_000
      const ADMITTED_PER_SECOND = 100
      // After the breakers have tried, and some have opened again.
      const BACK_AT = 150_000
      const random = seededRandom(6)
      const polls = new Tally()
      const herd = Array.from({ length: clients }, () => Client.lost(0, random))
      const wakes: number[][] = []
      const tries = new Array<number>(clients).fill(0)
      let freeAt = BACK_AT
      const openings = { before: 0, after: 0 }

      // The server's admission: a place in a virtual queue, given as whole seconds.
      const answer = (index: number, now: number) => (): LadderEffect[] => {
        const client = herd[index]!
        if (now < BACK_AT) return client.fail(now, null)
        tries[index]! += 1
        if (tries[index]! > 1) return client.hear(now)
        freeAt = Math.max(freeAt, now) + 1_000 / ADMITTED_PER_SECOND
        return client.fail(now, Math.ceil((freeAt - now) / 1_000) * 1_000)
      }
      const act = (index: number, now: number, effects: LadderEffect[]) => {
        const client = herd[index]!
        const wasOpen = isOpen(client)
        run(client, now, effects, polls, answer(index, now))
        if (!wasOpen && isOpen(client)) openings[now < BACK_AT ? 'before' : 'after'] += 1
        const at = nextAlarm(client.ladder, now)
        // A live one only waits for its beat, which is on time here.
        if (at === null || client.ladder.polling.phase === 'idle') return
        const moment = Math.max(at, now + 1)
        wakes[moment] ??= []
        wakes[moment].push(index)
      }

      for (const [index, client] of herd.entries()) act(index, 0, client.fail(0, null))
      for (let now = 0; now < wakes.length && now < 900_000; now++)
        for (const index of wakes[now] ?? []) act(index, now, herd[index]!.send(now, { type: 'alarm' }))

      expect(polls.peak).toBeLessThanOrEqual((clients / 5) * 1.1)
      expect(herd.every(({ ladder }) => ladder.inUse === 'server' && ladder.polling.phase === 'idle')).toBe(true)
      // Breakers opened while the server was gone; being given a slot opened none.
      expect(openings.before).toBeGreaterThan(clients)
      expect(openings.after).toBe(0)
      expect(Math.max(...tries)).toBe(2)
    },
    SLOW_MACHINE_MS,
  )
})
