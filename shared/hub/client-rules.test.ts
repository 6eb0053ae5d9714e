// The pure rules of the client: repeats, retries, waiting, topics in order.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedClock, seededRandom } from '../clock.ts'
import { askSpanMs, askTtlMs, backoffMs, decideAsk, type Outcome } from './ask-policy.ts'
import { CLOSE, mayComeBack } from './close-codes.ts'
import { createMessage } from './message.ts'
import type { TopicEvent } from './protocol.ts'
import { reconnectDelayMs } from './reconnect.ts'
import { SeenIds } from './seen-ids.ts'
import { TokenBucketRateLimiter } from './token-bucket.ts'
import { TopicBook } from './topic-book.ts'
import { ASK_ATTEMPTS, ASK_TIMEOUT_MS, RECONNECT_CONFIG, SEEN_MS } from './tuning.ts'

const answer = (type: string, payload: unknown): Outcome =>
  createMessage({ id: 'x', from: '@(cloudflare/signal-hub)', to: '@(a/b)', type, payload, timestamp: 0 })
const error = (code: string, retryable: boolean) => answer('hub:error', { code, message: 'm', retryable })
const half = () => 0.5

describe('[HUB-8] asking', () => {
  const decide = (outcome: Outcome, attempt: number, internalErrors = 0) =>
    decideAsk(outcome, 'hub:delivery_ack', { attempt, attempts: 3, internalErrors }, half)

  test('an acknowledgement ends it', () => {
    const payload = { messageId: 'm', deliveredAt: 1, status: 'queued' }
    expect(decide(answer('hub:delivery_ack', payload), 1)).toEqual({ do: 'resolve', answer: payload })
  })

  test.each<[string, Outcome, number, number, string]>([
    ['no answer', 'timeout', 1, 0, 'retry'],
    ['no answer to the last', 'timeout', 3, 0, 'reject'],
    ['the socket was lost', 'lost', 2, 0, 'retry'],
    ['an internal error', error('internal_error', true), 1, 1, 'retry'],
    ['a second internal error', error('internal_error', true), 2, 2, 'reject'],
    ['expired', error('message_expired', false), 1, 0, 'reject'],
    ['unknown', answer('hub:unknown_actor', { actorAddress: '@(a/b)', message: '' }), 1, 0, 'reject'],
    ['not allowed', answer('hub:unauthorized', { reason: 'topic', message: '' }), 1, 0, 'reject'],
    ['nonsense', answer('hub:delivery_ack', {}), 1, 0, 'reject'],
  ])('%s', (_, outcome, attempt, internalErrors, wanted) => {
    expect(decide(outcome, attempt, internalErrors).do).toBe(wanted)
  })

  test('as long as the hub asks for, and never less than the backoff', () => {
    expect(decide(answer('hub:rate_limited', { retryAfter: 9_000 }), 1)).toEqual({ do: 'retry', afterMs: 9_000 })
    expect(decide(answer('hub:rate_limited', { retryAfter: 1 }), 1)).toEqual({ do: 'retry', afterMs: 750 })
  })

  test('waits grow twofold, with jitter', () => {
    expect([1, 2, 3].map((attempt) => backoffMs(attempt, half))).toEqual([750, 1_500, 3_000])
    expect(backoffMs(1, () => 0)).toBe(500)
  })

  test('[HUB-4] the hub remembers an id for longer than anybody repeats it', () => {
    expect(askSpanMs()).toBeLessThan(SEEN_MS)
    expect(askTtlMs(ASK_TIMEOUT_MS, ASK_ATTEMPTS)).toBeGreaterThanOrEqual(ASK_TIMEOUT_MS + 5_000)
    expect(askTtlMs(ASK_TIMEOUT_MS, ASK_ATTEMPTS)).toBeLessThan(SEEN_MS)
  })

  test('repeats are known for a while, and memory is bounded', () => {
    const clock = fixedClock()
    const seen = new SeenIds({ clock, keepMs: 1_000, max: 3 })
    expect([seen.add('a'), seen.add('a'), seen.add('b')]).toEqual([true, false, true])
    clock.advance(1_001)
    expect(seen.add('a')).toBe(true)
    for (const key of ['c', 'd', 'e']) seen.add(key)
    expect(seen.add('e')).toBe(false)
    expect(seen.add('a')).toBe(true)
  })
})

describe('[HUB-18] coming back', () => {
  test('first at random within half a minute, at once when our own network was away, then twofold to the ceiling', () => {
    expect(reconnectDelayMs(0, () => 0.999)).toBeCloseTo(29_970)
    expect(reconnectDelayMs(0, half, true)).toBe(0)
    const waits = [1, 2, 3, 4, 20].map((attempt) => reconnectDelayMs(attempt, () => 1))
    expect(waits).toEqual([100, 200, 400, 800, RECONNECT_CONFIG.maxDelayMs])
  })

  test('the number says whether to', () => {
    expect([1006, 1001, CLOSE.rebalancing, CLOSE.tokenExpired].every(mayComeBack)).toBe(true)
    expect([CLOSE.replaced, CLOSE.revoked].some(mayComeBack)).toBe(false)
  })
})

describe('[HUB-11] the bucket', () => {
  test('a burst, then the rate; retryAfter is exact', () => {
    const clock = fixedClock()
    const bucket = new TokenBucketRateLimiter(3, 10, clock)
    expect(Array.from({ length: 4 }, () => bucket.allow())).toEqual([true, true, true, false])
    expect(bucket.retryAfterMs()).toBe(100)
    clock.advance(99)
    expect(bucket.allow()).toBe(false)
    clock.advance(1)
    expect(bucket.allow()).toBe(true)
    expect(() => new TokenBucketRateLimiter(0, 1, clock)).toThrow()
  })

  test('never more than capacity and rate allow, whatever the arrivals', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (pauses) => {
        const clock = fixedClock()
        const bucket = new TokenBucketRateLimiter(5, 20, clock)
        let [passed, elapsed] = [0, 0]
        for (const pause of pauses) {
          clock.advance(pause)
          elapsed += pause
          if (bucket.allow()) passed += 1
          expect(passed).toBeLessThanOrEqual(5 + (elapsed / 1_000) * 20 + 1e-6)
        }
      }),
    )
  })
})

describe('[HUB-6] topics in order', () => {
  const event = (seq: number): TopicEvent => ({
    ...{ topic: 't', seq, id: `t:${seq}`, from: '@(server/origin)', timestamp: 0, ttl: null },
    message: { type: 'x', payload: seq },
  })
  const seqs = (events: TopicEvent[]) => events.map(({ seq }) => seq)

  test('a hole is asked for once; what lies beyond it waits', () => {
    const book = new TopicBook()
    book.watch('t', 3)
    expect(seqs(book.receive(event(4)).deliver)).toEqual([4])
    expect(book.receive(event(7))).toEqual({ deliver: [], replaySince: 4, gap: null })
    expect(book.receive(event(8)).replaySince).toBeNull()
    const step = book.replayed('t', { events: [event(5), event(6), event(7)], completeSince: 4, lastSeq: 8 })
    expect(seqs(step.deliver)).toEqual([5, 6, 7, 8])
    expect(book.receive(event(6)).deliver).toEqual([])
  })

  test('what the hub has no more is said, and the rest goes on', () => {
    const book = new TopicBook()
    book.watch('t', 1)
    book.receive(event(9))
    const step = book.replayed('t', { events: [event(8), event(9)], completeSince: 7, lastSeq: 9 })
    expect(step.gap).toEqual({ after: 1, upTo: 7 })
    expect(seqs(step.deliver)).toEqual([8, 9])
  })

  test('without a beginning, the first that comes is the first', () => {
    const book = new TopicBook()
    book.watch('t', null)
    book.subscribed('t', 5)
    expect(book.positions()).toEqual([{ topic: 't', since: 5 }])
    expect(seqs(book.receive(event(6)).deliver)).toEqual([6])
    expect(book.receive({ ...event(1), topic: 'other' }).deliver).toEqual([])
  })

  test('any order, repeats and losses: delivered once and in order, nothing missing after replay', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 40 }), (seed, count) => {
        const random = seededRandom(seed)
        const book = new TopicBook()
        book.watch('t', 0)
        const got: number[] = []
        let replay: number | null = null
        const take = (step: ReturnType<TopicBook['receive']>) => {
          got.push(...seqs(step.deliver))
          replay = step.replaySince ?? replay
        }
        const arrivals = Array.from({ length: count }, (_, index) => index + 1)
          .flatMap((seq) => (random() < 0.2 ? [seq, seq] : [seq]))
          .filter(() => random() > 0.2)
          .sort(() => random() - 0.5)
        for (const seq of arrivals) take(book.receive(event(seq)))
        const all = Array.from({ length: count }, (_, index) => event(index + 1))
        take(
          book.replayed('t', {
            events: all.slice(replay ?? got.length),
            completeSince: replay ?? got.length,
            lastSeq: count,
          }),
        )
        expect(got).toEqual(all.map(({ seq }) => seq))
      }),
    )
  })
})
