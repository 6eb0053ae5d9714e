// From one ring to another while everybody goes on talking: nothing is lost, nothing handled twice, and shards that go or
// are given up leave nothing behind.
import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '#scripts/testing/hub.ts'
import { hubClient } from '#scripts/testing/hub-client.ts'
import type { SignalHubClient } from '#shared/hub/signal-hub-client.ts'
import { ownerOf, shardNames } from './core/ring.ts'

const PATIENCE = { timeout: 60_000, interval: 100 }
const LIMIT_MS = 120_000
let hub: TestHub
const clients: SignalHubClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) client.stop()
  await hub.stop()
})

const viewOf = (shards: string[]) => ({ version: 1, shards, next: null, failed: [] })
type Status = {
  view: { version: number; shards: string[]; next: string[] | null }
  progress: Record<string, { moved: number; remaining: number | null }>
}
const ring = async () => (await (await hub.get('/v1/acme/hub/ring')).json()) as Status
async function changed(wish: object, during: () => Promise<void> = async () => {}): Promise<Status> {
  const answers = await Promise.all([hub.post('ring', wish), hub.post('ring', wish)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409])
  await during()
  await expect.poll(async () => (await ring()).view.next, PATIENCE).toBeNull()
  return ring()
}

async function people(count: number, topic: string) {
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const actor = `@(node/r${n})`
      const [handled, seqs]: [string[], number[]] = [[], []]
      const client = hubClient(
        hub.url,
        { actor, topics: [topic] },
        {
          onMessage: ({ payload }) => void handled.push(String(payload)),
          onTopic: ({ seq }) => void seqs.push(seq),
        },
      )
      clients.push(client)
      client.start()
      client.subscribe([{ topic, since: 0 }])
      await expect.poll(() => client.state, PATIENCE).toBe('ready')
      return { actor, client, handled, seqs }
    }),
  )
}

describe('[HUB-17] rebalancing', () => {
  test.each([
    ['a shard more', { shards: 4 }, shardNames(4)],
    ['a shard less', { shards: shardNames(2) }, shardNames(2)],
  ])(
    '%s, under traffic: sent and handled are the same sets, and so are published and received',
    async (_, wish, after) => {
      hub = await startTestHub({ HUB_SHARDS: '3' })
      const topic = `topic:${randomUUID().slice(0, 8)}`
      const everybody = await people(24, topic)
      const sent: string[][] = everybody.map(() => [])
      const published: number[] = []
      const talk = async (round: number) => {
        await Promise.all(
          everybody.map(async ({ client }, n) => {
            const to = (n + round + 1) % everybody.length
            const word = `${round}:${n}`
            await client.ask(everybody[to]!.actor, 'task', word, { timeoutMs: 5_000, attempts: 8 })
            sent[to]!.push(word)
          }),
        )
        const seq = published.length + 1
        const publish = async () =>
          (await hub.post(`topics/${topic}/publish`, { seq, message: { type: 'x', payload: seq } })).status
        await expect.poll(publish, PATIENCE).toBe(200)
        published.push(seq)
      }
      await talk(0)
      const status = await changed(wish, async () => {
        for (let round = 1; round <= 40 && (await ring()).view.next !== null; round++) await talk(round)
      })
      await talk(41)
      expect(status.view).toMatchObject({ version: 3, shards: after })
      const moved = Object.values(status.progress).reduce((sum, { moved }) => sum + moved, 0)
      expect(moved).toBeGreaterThan(0)
      expect(Object.values(status.progress).every(({ remaining }) => remaining === 0)).toBe(true)
      for (const [n, { handled, seqs }] of everybody.entries()) {
        await expect.poll(() => handled.toSorted(), PATIENCE).toEqual(sent[n]!.toSorted())
        await expect.poll(() => seqs, PATIENCE).toEqual(published)
      }
      // Everybody is where the new ring says, and nowhere else.
      for (const shard of shardNames(4)) {
        const rows = await hub.rows<{ actor: string }>(shard, 'SELECT actor FROM registrations')
        expect(rows.every(({ actor }) => ownerOf(viewOf(after), actor) === shard)).toBe(true)
      }
    },
    LIMIT_MS,
  )

  test(
    'what waits for somebody who is away moves with them, repeats included; a shard that is given up hands over what it kept',
    async () => {
      hub = await startTestHub({ HUB_SHARDS: '2' })
      const [before, after] = [viewOf(shardNames(2)), viewOf(['signal-hub-shard-1', 'signal-hub-shard-2'])]
      const away = Array.from({ length: 200 }, (_, n) => `@(node/away${n})`).find(
        (name) => ownerOf(before, name) === 'signal-hub-shard-0' && ownerOf(after, name) === 'signal-hub-shard-2',
      )!
      const target = await hub.connect({ actor: away })
      const { renewalToken } = (await target.register()).payload as { renewalToken: string }
      target.close()
      await target.closed
      const sender = await hub.connect({ actor: '@(node/sender)' })
      const known = (await sender.register()).payload as { renewalToken: string }
      const acks = []
      for (const n of [1, 2, 3]) acks.push(await sender.send(away, 'task', n, { id: `m${n}` }))
      const status = await changed({ shards: after.shards, failed: ['signal-hub-shard-0'] })
      expect(status.view.shards).toEqual(after.shards)
      await expect
        .poll(() => hub.rows('signal-hub-shard-2', 'SELECT id FROM inbox ORDER BY n'), PATIENCE)
        .toEqual([{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }])
      expect(await hub.rows('signal-hub-shard-0', 'SELECT id FROM inbox')).toEqual([])
      const again = await hub.connect({ actor: sender.address })
      await again.register({ renewalToken: known.renewalToken })
      expect((await again.send(away, 'task', 2, { id: 'm2' })).payload).toEqual(acks[1]!.payload)
      const back = await hub.connect({ actor: away })
      expect(await back.register({ renewalToken })).toMatchObject({ type: 'hub:registered' })
      await back.next(({ id }) => id === 'm3')
      expect(back.heard.filter(({ type }) => type === 'task').map(({ id }) => id)).toEqual(['m1', 'm2'])
    },
    LIMIT_MS,
  )

  test(
    'an eviction in the middle of it delays and loses nothing',
    async () => {
      hub = await startTestHub({ HUB_SHARDS: '2' })
      const actors = await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          const actor = await hub.connect({ actor: `@(node/e${n})` })
          return { actor, token: ((await actor.register()).payload as { renewalToken: string }).renewalToken }
        }),
      )
      for (const { actor } of actors) await actor.send(actors[0]!.actor.address, 'task', actor.address)
      await changed({ shards: 3 }, async () => {
        for (const shard of shardNames(3)) await hub.evict(shard, 'hibernate')
      })
      const where = await Promise.all(
        shardNames(3).map((shard) => hub.rows<{ actor: string }>(shard, 'SELECT actor FROM registrations')),
      )
      expect(
        where
          .flat()
          .map(({ actor }) => actor)
          .toSorted(),
      ).toEqual(actors.map(({ actor }) => actor.address).toSorted())
      const inboxes = await Promise.all(shardNames(3).map((shard) => hub.rows(shard, 'SELECT id FROM inbox')))
      expect(inboxes.flat()).toHaveLength(60)
      for (const [index, rows] of where.entries())
        expect(rows.every(({ actor }) => ownerOf(viewOf(shardNames(3)), actor) === shardNames(3)[index])).toBe(true)
    },
    LIMIT_MS,
  )
})
