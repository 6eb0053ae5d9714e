// The hub as actors meet it, on workerd with one shard: who gets in, who may be whom, and what is said to those who try
// what they may not.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { edgeToken, type HubTokenWish, hubToken, TEST_PROJECT } from '#scripts/testing/edge-tokens.ts'
import { startTestHub, type TestActor, type TestHub } from '#scripts/testing/hub.ts'
import { CLOSE } from '#shared/hub/close-codes.ts'
import { PING, PONG, SUBPROTOCOL, TOKEN_SUBPROTOCOL } from '#shared/hub/tuning.ts'

const SHARD = 'signal-hub-shard-0'
const PATIENCE = { timeout: 20_000, interval: 50 }
let hub: TestHub
beforeAll(async () => {
  hub = await startTestHub({ HUB_SHARDS: '1', HUB_MAX_ACTORS: '1000' })
})
afterAll(() => hub.stop())

let names = 0
const newAddress = () => `@(browser/a${++names})`
async function registered(wish: Partial<HubTokenWish> = {}, registration = {}): Promise<TestActor> {
  const actor = await hub.connect({ actor: newAddress(), ...wish })
  expect(await actor.register(registration)).toMatchObject({ type: 'hub:registered' })
  return actor
}

const connectPath = `/v1/${TEST_PROJECT}/hub/connect`
describe('[HUB-3] connecting', () => {
  test('a token that names the actor opens a socket; the token is not repeated in the answer', async () => {
    const actor = await hub.connect({ actor: newAddress() })
    expect(actor.socket.protocol).toBe(SUBPROTOCOL)
    expect(await actor.ask('hub:connect', {})).toMatchObject({
      type: 'hub:connected',
      payload: { actorAddress: actor.address, protocolVersion: '0.1.0', expiresAt: expect.any(Number) },
    })
  })

  test.each<[string, HubTokenWish]>([
    ['expired', { actor: '@(browser/x)', seconds: -60 }],
    ['of another project', { actor: '@(browser/x)', project: 'other' }],
    ['signed by another', { actor: '@(browser/x)', secret: new Uint8Array(32).fill(3) }],
    ['for an hour', { actor: '@(browser/x)', seconds: 3_600 }],
    ['without an actor', {}],
    ['for another actor', { actor: '@(browser/somebody)' }],
    ['for the hub itself', { actor: '@(cloudflare/signal-hub)' }],
  ])('a token %s opens nothing', async (_, wish) => {
    const opened = await hub.open(`${connectPath}?actor=@(browser/me)`, [
      SUBPROTOCOL,
      TOKEN_SUBPROTOCOL + (await hubToken(wish)),
    ])
    expect(opened).toEqual({ refused: true })
  })

  test('nor does a write token, a token in the query, or none', async () => {
    const [write, good] = [await edgeToken(), await hubToken({ actor: '@(browser/me)' })]
    expect(await hub.open(connectPath, [SUBPROTOCOL, TOKEN_SUBPROTOCOL + write])).toEqual({ refused: true })
    expect(await hub.open(`${connectPath}?token=${good}`, [SUBPROTOCOL])).toEqual({ refused: true })
    expect(await hub.open(connectPath, [TOKEN_SUBPROTOCOL + good])).toEqual({ refused: true })
    expect((await hub.get(connectPath)).status).toBe(426)
  })

  test('a pattern lets the actor choose its name', async () => {
    const token = await hubToken({ actor: '@(browser/u7-*)' })
    const opened = await hub.open(`${connectPath}?actor=@(browser/u7-tab)`, [SUBPROTOCOL, TOKEN_SUBPROTOCOL + token])
    expect(opened).not.toEqual({ refused: true })
    expect(await hub.open(connectPath, [SUBPROTOCOL, TOKEN_SUBPROTOCOL + token])).toEqual({ refused: true })
  })

  test('a socket ends with its token, unless it is renewed in place', async () => {
    const [stays, goes] = [
      await hub.connect({ actor: newAddress(), seconds: 3 }),
      await hub.connect({ actor: newAddress(), seconds: 3 }),
    ]
    const token = await hubToken({ actor: stays.address })
    expect(await stays.ask('hub:connect', { token })).toMatchObject({ type: 'hub:connected' })
    expect(await stays.ask('hub:connect', { token: await hubToken({ actor: goes.address }) })).toMatchObject({
      ...{ type: 'hub:unauthorized', payload: { reason: 'bad_token' } },
    })
    expect(await goes.next('hub:disconnect')).toMatchObject({ payload: { code: CLOSE.tokenExpired } })
    expect(await stays.register()).toMatchObject({ type: 'hub:registered' })
  })
})

describe('[HUB-2] registering', () => {
  test('gives a lifetime, a renewal token and a version; renewing and leaving work', async () => {
    const actor = await hub.connect({ actor: newAddress(), capabilities: ['work'] })
    const first = await actor.register({ capabilities: ['work'], metadata: { name: 'Ada' } })
    expect(first.payload).toMatchObject({ actorAddress: actor.address, version: 1 })
    const { renewalToken, expiresAt } = first.payload as { renewalToken: string; expiresAt: number }
    expect(expiresAt).toBeGreaterThan(Date.now() + 290_000)
    expect(await actor.ask('hub:renew', { renewalToken, ttlSeconds: 600 })).toMatchObject({
      ...{ type: 'hub:registered', payload: { version: 2, renewalToken } },
    })
    expect(await actor.ask('hub:renew', { renewalToken: 'guess' })).toMatchObject({ type: 'hub:unauthorized' })
    expect(await actor.ask('hub:unregister', {})).toMatchObject({ type: 'hub:unregistered' })
    // The token that it left with is spent: a copy of it cannot become this actor.
    expect(await actor.register()).toMatchObject({ type: 'hub:unauthorized', payload: { reason: 'revoked' } })
  })

  test('[HUB-9] a registration runs out by itself', async () => {
    const [short, other] = [await registered({}, { ttlSeconds: 1 }), await registered()]
    await expect
      .poll(() => hub.rows(SHARD, 'SELECT 1 FROM registrations WHERE actor = ?', short.address), PATIENCE)
      .toEqual([])
    expect(await other.send(short.address, 'x', {})).toMatchObject({ type: 'hub:unknown_actor' })
    expect(await short.ask('hub:discover', {})).toMatchObject({ payload: { reason: 'not_registered' } })
  })

  test('[HUB-10] a full registry says so, in a frame and at the door', async () => {
    const small = await startTestHub({ HUB_SHARDS: '1', HUB_MAX_ACTORS: '2' })
    try {
      const actors = await Promise.all(['@(a/1)', '@(a/2)', '@(a/3)'].map((actor) => small.connect({ actor })))
      expect(await actors[0]!.register()).toMatchObject({ type: 'hub:registered' })
      expect(await actors[1]!.register()).toMatchObject({ type: 'hub:registered' })
      expect(await actors[2]!.register()).toMatchObject({
        type: 'hub:error',
        payload: {
          code: 'registry_full',
          retryable: true,
          details: { metrics: { totalActors: 2, capacityUtilization: 1 } },
        },
      })
      await expect(small.connect({ actor: '@(a/4)' })).rejects.toThrow('was not let in')
      // Whoever is registered may come back.
      await small.connect({ actor: '@(a/1)' })
    } finally {
      await small.stop()
    }
  })

  test('[HUB-2] discovering by pattern and capability, newest first', async () => {
    const place = `p${randomUUID().slice(0, 8)}`
    const actors: TestActor[] = []
    for (const name of ['one', 'two', 'three'])
      actors.push(await registered({ actor: `@(${place}/${name})`, capabilities: [name] }, { capabilities: [name] }))
    const found = await actors[0]!.ask('hub:discover', { pattern: `@(${place}/*)`, limit: 2 })
    expect(found).toMatchObject({
      type: 'hub:discovered',
      payload: { hasMore: true, partial: false, queriedShards: 1 },
    })
    const { actors: list } = found.payload as { actors: { actorAddress: string; renewalToken?: string }[] }
    expect(list.map(({ actorAddress }) => actorAddress)).toEqual([actors[2]!.address, actors[1]!.address])
    expect(list[0]).not.toHaveProperty('renewalToken')
    const capable = await hub.post('discover', { pattern: `@(${place}/*)`, capability: 'one' })
    expect(await capable.json()).toMatchObject({ actors: [{ actorAddress: actors[0]!.address }], hasMore: false })
  })
})

describe('[HUB-20] somebody with bad intentions', () => {
  let honest: TestActor
  let rogue: TestActor
  beforeAll(async () => {
    honest = await registered()
    rogue = await registered()
  })

  test('cannot speak as somebody else', async () => {
    const answer = await rogue.ask(
      'hub:send',
      { targetAddress: honest.address, message: { type: 'x' } },
      { from: honest.address },
    )
    expect(answer).toMatchObject({ type: 'hub:unauthorized', payload: { reason: 'spoofed_from' } })
    expect(await rogue.register({ actorAddress: honest.address })).toMatchObject({
      payload: { reason: 'spoofed_from' },
    })
  })

  test('cannot take an address with a copied token while its owner has it, nor do anything without registering', async () => {
    const thief = await hub.connect({ actor: honest.address })
    expect(await thief.register()).toMatchObject({ type: 'hub:unauthorized', payload: { reason: 'address_taken' } })
    expect(await thief.register({ renewalToken: 'guess' })).toMatchObject({ payload: { reason: 'address_taken' } })
    expect(await thief.send(rogue.address, 'x', {})).toMatchObject({ payload: { reason: 'not_registered' } })
    expect(await thief.ask('hub:subscribe', { topics: [{ topic: 't' }] })).toMatchObject({
      payload: { reason: 'not_registered' },
    })
    // What is meant for the owner reaches the owner.
    await rogue.send(honest.address, 'secret', {})
    expect(await honest.next('secret')).toBeDefined()
    expect(thief.heard).toEqual([])
  })

  test('the owner comes back with its renewal token, and the socket before it is told', async () => {
    const first = await hub.connect({ actor: newAddress() })
    const { renewalToken } = (await first.register()).payload as { renewalToken: string }
    const second = await hub.connect({ actor: first.address })
    expect(await second.register({ renewalToken })).toMatchObject({ type: 'hub:registered', payload: { version: 2 } })
    expect(await first.next('hub:disconnect')).toMatchObject({ payload: { reason: 'replaced' } })
    expect(await first.closed).toMatchObject({ code: CLOSE.replaced })
  })

  test('cannot claim a capability, a topic or a broadcast that the token does not give', async () => {
    expect(await rogue.register({ capabilities: ['admin'] })).toMatchObject({ payload: { reason: 'capability' } })
    expect(await rogue.ask('hub:subscribe', { topics: [{ topic: 'secret' }] })).toMatchObject({
      ...{ type: 'hub:subscribed', payload: { topics: [], refused: [{ topic: 'secret', reason: 'unauthorized' }] } },
    })
    expect(await rogue.ask('hub:publish', { topic: 'secret', message: { type: 'x' } })).toMatchObject({
      payload: { reason: 'topic' },
    })
    expect(await rogue.ask('hub:replay', { topic: 'secret', since: 0 })).toMatchObject({ payload: { reason: 'topic' } })
    expect(await rogue.ask('hub:broadcast', { message: { type: 'x' } })).toMatchObject({
      payload: { reason: 'broadcast' },
    })
  })

  test('cannot forge messages of the hub', async () => {
    expect(await rogue.send(honest.address, 'hub:disconnect', {})).toMatchObject({
      payload: { code: 'invalid_message' },
    })
  })

  test.each<[string, string, object]>([
    ['broken JSON', '{', { code: 'invalid_message', message: 'not JSON' }],
    ['no message', '[]', { code: 'invalid_message' }],
    ['an unknown type', JSON.stringify({ type: 'hub:explode', payload: {} }), { code: 'invalid_message' }],
    ['a prototype', '{"__proto__":{"admin":true}}', { message: 'a name in it is not allowed' }],
  ])('%s is answered, and the connection goes on', async (_, text, payload) => {
    rogue.socket.send(text)
    expect(await rogue.next('hub:error')).toMatchObject({ payload: { ...payload, retryable: false } })
    expect(await rogue.ask('hub:heartbeat', {})).toMatchObject({ type: 'hub:heartbeat' })
  })

  test('[HUB-7] times that cannot be are refused', async () => {
    const say = (more: object) => rogue.ask('hub:heartbeat', {}, more)
    expect(await say({ ttl: -1 })).toMatchObject({ payload: { code: 'invalid_message' } })
    expect(await say({ timestamp: Date.now() + 60_000 })).toMatchObject({ payload: { code: 'invalid_message' } })
    expect(await say({ timestamp: Date.now() - 60_000, ttl: 1_000 })).toMatchObject({
      ...{ type: 'hub:error', payload: { code: 'message_expired', retryable: false } },
    })
  })

  test('[HUB-2] a frame above the limit is refused, a binary one ends the socket', async () => {
    const big = await registered()
    big.socket.send(JSON.stringify({ id: 'x', payload: 'é'.repeat(600_000) }))
    expect(await big.next('hub:message_too_large')).toMatchObject({
      payload: { maxSize: 1_048_576, messageSize: expect.any(Number) },
    })
    const binary = await registered()
    binary.socket.send(new Uint8Array([1, 2, 3]))
    expect(await binary.next('hub:disconnect')).toMatchObject({ payload: { code: CLOSE.binary } })
  })

  test('[HUB-11] a flood is slowed down; others notice nothing', async () => {
    const flooder = await registered()
    const frame = JSON.stringify({ type: 'x', payload: 'x'.repeat(100_000) })
    for (let sent = 0; sent < 60; sent++) flooder.socket.send(frame)
    expect(await flooder.next('hub:rate_limited')).toMatchObject({ payload: { retryAfter: expect.any(Number) } })
    expect(await honest.ask('hub:heartbeat', {})).toMatchObject({ type: 'hub:heartbeat' })
  })

  test('cannot reach another project, whose shards are other objects', async () => {
    const token = await hubToken({ actor: '@(browser/spy)' })
    expect(await hub.open('/v1/other/hub/connect', [SUBPROTOCOL, TOKEN_SUBPROTOCOL + token])).toEqual({ refused: true })
    expect(
      (
        await fetch(`${hub.url}/v1/other/hub/discover`, {
          method: 'POST',
          body: '{}',
          headers: { Authorization: `Bearer ${await edgeToken()}` },
        })
      ).status,
    ).toBe(401)
    const read = { Authorization: `Bearer ${await edgeToken({ scope: 'read', stream: `session:${randomUUID()}` })}` }
    for (const path of ['discover', 'broadcast', 'revoke', 'ring', 'topics/t/publish']) {
      expect((await hub.post(path, {}, { Authorization: '' })).status).toBe(401)
      expect((await hub.post(path, {}, read)).status).toBe(403)
    }
  })

  test('actors that are shown the door do not come back with the same token', async () => {
    const token = await hubToken({ actor: rogue.address })
    expect((await hub.post('revoke', { actors: [rogue.address] })).status).toBe(204)
    expect(await rogue.next('hub:disconnect')).toMatchObject({ payload: { code: CLOSE.revoked } })
    const opened = await hub.open(connectPath, [SUBPROTOCOL, TOKEN_SUBPROTOCOL + token])
    expect(opened).not.toEqual({ refused: true })
    expect(await honest.send(rogue.address, 'x', {})).toMatchObject({ type: 'hub:unknown_actor' })
  })
})

describe('[HUB-9] sleep', () => {
  test('pings are answered by the platform, and neither they nor silence keep the hub awake', async () => {
    const actor = await registered()
    const pong = new Promise((resolve) =>
      actor.socket.addEventListener('message', ({ data }) => resolve(data), { once: true }),
    )
    actor.socket.send(PING)
    expect(await pong).toBe(PONG)
  })
})
