// The hub's own rules, without a hub.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fixedClock } from '#shared/clock.ts'
import { createMessage } from '#shared/hub/message.ts'
import { MARK_EVERY, PAUSE_BACKLOG, SEEN_MS } from '#shared/hub/tuning.ts'
import { ConnectionAdmission } from './admission.ts'
import { planDelivery, type TargetState } from './delivery.ts'
import { afterMark, afterSend, backlog, hasCaughtUp, isBehind, isLost, NEW_FLOW } from './flow.ts'
import { FrameLimit } from './frame-limit.ts'
import { capacityOf, judgeClaim, Registry, type StoredRegistration } from './registry.ts'
import { chooseActor, covers, type HubClaims, hubClaimsSchema, isRevoked } from './rights.ts'
import { ConsistentHashRing, fnv1a, nextOwnerOf, ownerOf, shardNames } from './ring.ts'
import { parseHubRoute } from './route.ts'
import { judgePublish } from './topic.ts'
import { FLOOD_FRAMES, FRAME_BURST, INBOX_MESSAGES, MAX_SEEN } from './tuning.ts'

const now = 1_800_000_000_000

describe('[HUB-15] the ring', () => {
  const keys = Array.from({ length: 20_000 }, (_, index) => `@(browser/u${index % 977}-${index.toString(36)})`)

  test('FNV-1a gives its published values, over UTF-8', () => {
    expect(['', 'a', 'foobar'].map(fnv1a)).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968])
    expect(fnv1a('ä')).toBe(fnv1a('\u00e4'))
    expect(fnv1a('ä')).not.toBe(fnv1a('\u00c3\u00a4'))
  })

  test.each([10, 11])('%i shards have equal parts, within 15 %%', (count) => {
    const ring = new ConsistentHashRing(shardNames(count))
    const parts = Map.groupBy(keys, (key) => ring.shardOf(key))
    expect(parts.size).toBe(count)
    for (const part of parts.values()) expect(Math.abs((part.length * count) / keys.length - 1)).toBeLessThan(0.15)
  })

  test('the eleventh shard takes its part, and nothing moves between the others', () => {
    const [before, after] = [new ConsistentHashRing(shardNames(10)), new ConsistentHashRing(shardNames(11))]
    const moved = keys.filter((key) => before.shardOf(key) !== after.shardOf(key))
    expect(moved.length / keys.length).toBeLessThan(0.12)
    expect(new Set(moved.map((key) => after.shardOf(key)))).toEqual(new Set(['signal-hub-shard-10']))
  })

  test('for any names: a shard that goes gives its keys away, and no other key moves', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 8 }),
        fc.string(),
        (names, key) => {
          const all = new ConsistentHashRing(names, 20)
          const fewer = new ConsistentHashRing(names.slice(1), 20)
          if (all.shardOf(key) !== names[0]) expect(fewer.shardOf(key)).toBe(all.shardOf(key))
        },
      ),
    )
  })

  test('the order of the list does not matter', () => {
    const [one, other] = [shardNames(5), shardNames(5).toReversed()].map((names) => new ConsistentHashRing(names))
    expect(keys.slice(0, 500).every((key) => one!.shardOf(key) === other!.shardOf(key))).toBe(true)
  })

  test('while rings change the old owner is asked, unless it is given up', () => {
    const view = { version: 2, shards: shardNames(2), next: shardNames(3), failed: [] as string[] }
    const key = keys.find((name) => nextOwnerOf(view, name) === 'signal-hub-shard-2')!
    expect(ownerOf(view, key)).not.toBe('signal-hub-shard-2')
    expect(ownerOf({ ...view, failed: [ownerOf(view, key)] }, key)).toBe('signal-hub-shard-2')
  })
})

describe('[HUB-3] rights', () => {
  const claims: HubClaims = hubClaimsSchema.parse({
    ...{ project: 'p', scope: 'hub', actor: '@(browser/u7-*)', iat: now / 1_000, exp: now / 1_000 + 60 },
  })

  test('a pattern lets the actor choose the rest; nobody chooses for nobody', () => {
    expect(chooseActor(claims, '@(browser/u7-tab1)')).toEqual({ ok: true, actor: '@(browser/u7-tab1)' })
    expect(chooseActor(claims, '@(browser/u8-tab1)')).toMatchObject({ status: 403 })
    expect(chooseActor(claims, null)).toMatchObject({ status: 400 })
    expect(chooseActor(claims, '@(cloudflare/signal-hub)')).toMatchObject({ status: 400 })
    expect(chooseActor({ ...claims, actor: '@(bot/a)' }, null)).toEqual({ ok: true, actor: '@(bot/a)' })
    expect(chooseActor({ ...claims, actor: undefined }, '@(bot/a)')).toMatchObject({ status: 403 })
    expect(chooseActor({ ...claims, actor: undefined }, null)).toMatchObject({ status: 400 })
  })

  test('topics by name or pattern', () => {
    expect(covers(['topic:1', 'talk:*'], 'topic:1')).toBe(true)
    expect(covers(['topic:1', 'talk:*'], 'talk:9')).toBe(true)
    expect(covers(['topic:1', 'talk:*'], 'topic:12')).toBe(false)
  })

  test('a right that was taken back stays so for every token from before', () => {
    const revocations = [{ topic: 't', actors: '@(browser/u7-*)', atMs: now }]
    const asked = { actor: '@(browser/u7-x)', topic: 't', issuedAtMs: now }
    expect(isRevoked(revocations, asked)).toBe(true)
    expect(isRevoked(revocations, { ...asked, issuedAtMs: now + 1_000 })).toBe(false)
    expect(isRevoked(revocations, { ...asked, topic: 'u' })).toBe(false)
    expect(isRevoked(revocations, { ...asked, actor: '@(browser/u70)' })).toBe(false)
    expect(isRevoked([{ ...revocations[0]!, topic: null }], { ...asked, topic: 'u' })).toBe(true)
  })
})

describe('[HUB-9] the registry', () => {
  const stored = (changes: Partial<StoredRegistration>): StoredRegistration => ({
    ...{ actorAddress: '@(a/1)', capabilities: ['work'], metadata: {}, connectionId: 'c1', registeredAt: now },
    ...{ expiresAt: now + 1_000, version: 1, renewalToken: 'r1', row: 1, ...changes },
  })

  test('what has run out is not there, alarm or not', () => {
    const registry = new Registry([stored({}), stored({ actorAddress: '@(a/2)', expiresAt: now + 5 })])
    expect(registry.get('@(a/2)', now)).not.toBeNull()
    expect(registry.get('@(a/2)', now + 5)).toBeNull()
    expect(registry.nextExpiry()).toBe(now + 5)
    expect(registry.expired(now + 5).map(({ actorAddress }) => actorAddress)).toEqual(['@(a/2)'])
    expect(registry.discover({ pattern: '@(a/*)' }, now + 5)).toHaveLength(1)
    expect(registry.discover({ pattern: '@(b/*)' }, now)).toHaveLength(0)
    expect(registry.discover({ pattern: '@(*/*)', capability: 'rest' }, now)).toHaveLength(0)
  })

  test.each([
    ['new', undefined, 'c2', undefined],
    ['new', stored({ expiresAt: now }), 'c2', undefined],
    ['again', stored({}), 'c1', undefined],
    ['back', stored({}), 'c2', 'r1'],
    ['taken', stored({}), 'c2', 'r2'],
    ['taken', stored({}), 'c2', undefined],
  ])('[HUB-3] %s', (wanted, known, connectionId, renewalToken) => {
    expect(judgeClaim(known, { connectionId, renewalToken }, now)).toBe(wanted)
  })

  test('[HUB-10] warned at 90 %, full at 95 %', () => {
    expect([44_999, 45_000, 47_499, 47_500].map((actors) => capacityOf(actors).state)).toEqual([
      ...['open', 'warning', 'warning', 'full'],
    ])
  })
})

describe('[HUB-4] [HUB-5] what becomes of a message', () => {
  const letter = createMessage({
    ...{ id: 'm', from: '@(a/1)', to: '@(a/2)', type: 't', payload: 1, timestamp: now, ttl: 30_000, pattern: 'ask' },
  })
  const there: TargetState = { registered: true, connected: true, knownAck: null, waiting: 0, seen: 0 }
  const away = { ...there, connected: false }

  test.each<[string, string, object, TargetState]>([
    ['delivered', 'ask', { do: 'keep', send: true, ack: { status: 'delivered', deliveredAt: now } }, there],
    ['queued', 'ask', { do: 'keep', send: false, ack: { status: 'queued' } }, away],
    ['passed on', 'tell', { do: 'pass' }, there],
    ['told that nobody is there', 'tell', { answer: { is: 'unknown_actor' } }, away],
    ['unknown', 'ask', { answer: { is: 'unknown_actor' } }, { ...away, registered: false }],
    ['full and away', 'ask', { answer: { is: 'unknown_actor' } }, { ...away, waiting: INBOX_MESSAGES }],
    ['full and busy', 'ask', { answer: { is: 'rate_limited' } }, { ...there, waiting: INBOX_MESSAGES }],
    ['no memory left', 'ask', { answer: { is: 'rate_limited' } }, { ...there, seen: MAX_SEEN }],
    [
      'repeated',
      'ask',
      { answer: { is: 'ack', status: 'queued', deliveredAt: 5 } },
      { ...there, knownAck: { status: 'queued', deliveredAt: 5 } },
    ],
  ])('%s (%s)', (_, pattern, wanted, target) => {
    expect(planDelivery({ ...letter, pattern: pattern as 'ask' }, target, now)).toMatchObject(wanted)
  })

  test('[HUB-7] expired before anything else; remembered for longer than it lives', () => {
    expect(planDelivery(letter, there, now + 30_001)).toMatchObject({ answer: { is: 'expired' } })
    expect(planDelivery(letter, there, now)).toMatchObject({ seenUntilMs: now + SEEN_MS, keepUntilMs: now + 30_000 })
    expect(planDelivery({ ...letter, ttl: 200_000 }, there, now)).toMatchObject({ seenUntilMs: now + 200_000 })
  })
})

describe('[HUB-6] a topic’s numbers', () => {
  const topic = { lastSeq: 10, oldest: 5 }
  const held = (seq: number) => seq !== 8

  test('next, gap, late, repeated, forgotten, and the hub’s own', () => {
    expect(judgePublish(topic, 11, held).is).toBe('next')
    expect(judgePublish(topic, 20, held).is).toBe('next')
    expect(judgePublish(topic, 8, held).is).toBe('late')
    expect(judgePublish(topic, 9, held).is).toBe('duplicate')
    expect(judgePublish(topic, 3, held).is).toBe('duplicate')
    expect(judgePublish(topic, null, held)).toEqual({ is: 'next', seq: 11 })
  })
})

describe('[HUB-12] how far a reader is behind', () => {
  test('marks are asked for; behind above 1,000, caught up below 500', () => {
    let flow = NEW_FLOW
    const marks: number[] = []
    for (let sent = 0; sent <= PAUSE_BACKLOG; sent++) {
      const step = afterSend(flow)
      flow = step.flow
      if (step.mark !== null) marks.push(step.mark)
    }
    expect(marks).toEqual([1, 2, 3, 4].map((times) => times * MARK_EVERY))
    expect(isBehind(flow)).toBe(true)
    flow = afterMark(flow, 500)
    expect([isBehind(flow), hasCaughtUp(flow)]).toEqual([false, false])
    expect(hasCaughtUp(afterMark(flow, 750))).toBe(true)
    expect(backlog(afterMark(flow, 999_999))).toBe(1)
    expect([
      isLost({ sent: 5_000, confirmed: 0, marked: 0 }),
      isLost({ sent: 5_001, confirmed: 0, marked: 0 }),
    ]).toEqual([...[false, true]])
  })
})

describe('[HUB-11] admission', () => {
  test('a herd is let in at the rate, and everybody else gets a moment of their own', () => {
    const clock = fixedClock(now)
    const admission = new ConnectionAdmission({ perSecond: 100, burst: 100 }, clock)
    const answers = Array.from({ length: 500 }, () => admission.ask())
    const refused = answers.flatMap((answer) => (answer.admitted ? [] : [answer]))
    expect(refused).toHaveLength(400)
    expect(refused[0]).toMatchObject({ retryAfterSeconds: 1, headers: { 'X-RateLimit-Limit': '100' } })
    // 400 slots at 90 a second.
    expect(refused.at(-1)!.retryAfterSeconds).toBe(5)
    let admitted = 0
    for (let second = 1; second <= 5; second++) {
      clock.advance(1_000)
      const due = refused.filter(({ retryAfterSeconds }) => retryAfterSeconds === second)
      for (const _ of due) if (admission.ask().admitted) admitted += 1
    }
    expect(admitted).toBe(400)
  })
})

describe('[HUB-11] one connection’s frames', () => {
  const small = { bytes: 0, isAck: false }

  test('a burst, then a rate; large frames cost more and acknowledgements less; a flood ends', () => {
    const clock = fixedClock(now)
    const limit = new FrameLimit(clock)
    for (let sent = 0; sent < FRAME_BURST; sent++) expect(limit.ask(small)).toEqual({ is: 'pass' })
    expect(limit.ask(small)).toEqual({ is: 'wait', retryAfterMs: 10 })
    clock.advance(10)
    expect(limit.ask({ bytes: 0, isAck: true }).is).toBe('pass')
    expect(limit.ask(small).is).toBe('wait')
    clock.advance(1_000)
    expect(limit.ask({ bytes: 99 * 16_384, isAck: false }).is).toBe('pass')
    for (let refused = 2; refused < FLOOD_FRAMES; refused++) expect(limit.ask(small).is).toBe('wait')
    expect(limit.ask(small).is).toBe('flood')
    clock.advance(1_600)
    expect(limit.ask(small).is).toBe('pass')
    for (let sent = 0; sent < FRAME_BURST; sent++) limit.ask(small)
    expect(limit.ask(small).is).toBe('wait')
  })
})

describe('[HUB-2] paths', () => {
  test('only what is meant', () => {
    expect(parseHubRoute('GET', '/v1/feed/hub/connect')).toEqual({ action: 'connect', project: 'feed' })
    expect(parseHubRoute('POST', '/v1/feed/hub/topics/topic%3A7/publish')).toEqual({
      ...{ action: 'publish', project: 'feed', topic: 'topic:7' },
    })
    for (const path of [
      '/v1/feed/hub',
      '/v1/feed/hub/toString',
      '/v1/feed/hub/topics/a b/publish',
      '/v1/a b/hub/connect',
    ])
      expect(parseHubRoute('GET', path) ?? parseHubRoute('POST', path)).toBeNull()
  })
})
