// The whole server with the real edge behind a wire that can be cut: what a browser gets through its session there, and
// that it gets nothing which it may not see, whatever happened in between.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { edgeVars } from '#scripts/edge/edge-vars.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { startProxy, type TcpProxy } from '#scripts/testing/tcp-proxy.ts'
import { systemClock } from '#shared/clock.ts'
import type { EdgeSession } from '#shared/edge-session.ts'
import { createEdgeCaller } from './edge-client/edge-caller.ts'
import { edgeKey } from './edge-client/edge-keys.ts'
import { createEdgeTokens } from './edge-client/edge-tokens.ts'
import { type Product, startProduct, type TestPerson } from './testing/product.fixture.ts'

const SECRET = 'a secret of the tests that is long enough'
const PATIENCE = { timeout: 90_000, interval: 100 }
const tokens = createEdgeTokens(edgeKey(SECRET), systemClock)
type Ready = Extract<EdgeSession, { state: 'ready' }>
type Item = { topic?: number; seq?: number; activity?: { summary: string }; name?: string; body?: { type?: string } }

describe('sessions at the edge', () => {
  let edge: Edge
  let wire: TcpProxy
  let product: Product
  let [ada, ben, eve] = [] as unknown as [TestPerson, TestPerson, TestPerson]
  beforeAll(async () => {
    edge = await startTestEdge(edgeVars(SECRET))
    wire = await startProxy(Number(new URL(edge.url).port))
    product = await startProduct('postgres', { edge: { url: wire.url, publicUrl: wire.url, tokens } })
    ;[ada, ben, eve] = [await product.person('ada'), await product.person('ben'), await product.person('eve')]
    await ada.call('topics.create', { name: 'project/open' })
    for (const one of [ben, eve]) await one.call('topics.follow', { topic: 'project/open' })
  })
  afterAll(async () => {
    await product.stop()
    await wire.stop()
    await edge.stop()
  })

  const open = async (who: TestPerson, session?: string): Promise<Ready> => {
    let answer: EdgeSession = { state: 'off' }
    const isReady = async () => {
      answer = await who.call('live.session', session ? { session } : {})
      return answer.state
    }
    await expect.poll(isReady, PATIENCE).toBe('ready')
    return answer as unknown as Ready
  }
  const read = async ({ url, token }: Pick<Ready, 'url' | 'token'>): Promise<Item[] | number> => {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    return answer.ok ? ((await answer.json()) as Item[]) : answer.status
  }
  const summaries = async (session: Ready) => {
    const items = await read(session)
    return typeof items === 'number' ? items : items.flatMap(({ activity }) => activity?.summary ?? [])
  }
  const post = (topic: string, summary: string) => ada.call('activities.publish', { topic, verb: 'posted', summary })
  const away = (on: boolean) => {
    wire.refuse(on)
    if (on) wire.cut()
  }
  const arrived = (session: Ready, summary: string) =>
    expect.poll(() => summaries(session), PATIENCE).toEqual(expect.arrayContaining([summary]))

  it('[FEED-7] a browser gets a session, a token for its stream alone, and what is published, in order', async () => {
    const session = await open(ben)
    expect(session).toMatchObject({ expiresInMs: 300_000, followsVersion: expect.any(Number) })
    for (const n of [1, 2, 3]) await post('project/open', `open ${n}`)
    await expect.poll(() => summaries(session), PATIENCE).toEqual(['open 1', 'open 2', 'open 3'])
    const other = await open(eve)
    expect(other.id).not.toBe(session.id)
    expect(await read({ url: other.url, token: session.token })).toBe(403)
    const { topic } = await post('project/open', 'open 4')
    expect(await read({ url: session.url.replace(/session:.*/, `topic:${topic.id}`), token: session.token })).toBe(403)
  })

  it('[FEED-7] it is prolonged, is nobody else’s, and needs a sign-in; without an edge the answer is off', async () => {
    const session = await open(ben)
    expect((await open(ben, session.id)).id).toBe(session.id)
    expect((await open(eve, session.id)).id).not.toBe(session.id)
    await ben.refusal('live.session', { session: 'x' })
    expect(await ben.query('me.get')).toMatchObject({ edge: true })
  })

  it('[LIVE-11] follow and unfollow change what it listens to, and it is told so, in order with the rest', async () => {
    await ada.call('topics.create', { name: 'project/side' })
    const session = await open(ben)
    await ben.call('topics.follow', { topic: 'project/side' })
    const told = async () => ((await read(session)) as Item[]).filter(({ body }) => body?.type === 'follows').length
    await expect.poll(told, PATIENCE).toBe(1)
    await post('project/side', 'side 1')
    await arrived(session, 'side 1')
    await ben.call('topics.unfollow', { topic: 'project/side' })
    await expect.poll(told, PATIENCE).toBe(2)
    await post('project/side', 'side 2')
    await post('project/open', 'after side 2')
    await arrived(session, 'after side 2')
    expect(await summaries(session)).not.toContain('side 2')
  })

  it('[READ-7] what concerns the person alone is told there too', async () => {
    const session = await open(ben)
    const { id } = await post('project/open', 'to be read')
    const counts = await ben.call('activities.markRead', { ids: [id] })
    const names = async () => ((await read(session)) as Item[]).flatMap(({ name }) => name ?? [])
    await expect.poll(names, PATIENCE).toEqual(expect.arrayContaining(['read', 'unread']))
    const items = (await read(session)) as Item[]
    expect(items.find(({ name }) => name === 'unread')!.body).toEqual(counts)
  })

  it('[FEED-2] whoever is removed gets nothing more of a private topic, not even with a token from before', async () => {
    await ada.call('topics.create', { name: 'team/secret', visibility: 'private' })
    await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
    await ben.call('topics.follow', { topic: 'team/secret' })
    const [mine, strange] = [await open(ben), await open(eve)]
    await post('team/secret', 'whisper 1')
    await arrived(mine, 'whisper 1')
    await ada.call('topics.members.remove', { topic: 'team/secret', handle: 'ben' })
    for (const n of [2, 3]) await post('team/secret', `whisper ${n}`)
    await post('project/open', 'marker 1')
    for (const session of [mine, strange]) await arrived(session, 'marker 1')
    expect((await summaries(mine)) as string[]).not.toContain('whisper 2')
    expect(JSON.stringify(await read(strange))).not.toContain('whisper')
    const items = (await read(mine)) as (Item & { change?: { state?: string } })[]
    expect(items.some(({ change }) => change?.state === 'removed')).toBe(false)
    // The session was told, and a new one begins without it.
    expect(items.some(({ body }) => body?.type === 'follows')).toBe(true)
    const fresh = await open(ben)
    await post('team/secret', 'whisper 4')
    await post('project/open', 'marker 2')
    await arrived(fresh, 'marker 2')
    expect(JSON.stringify(await read(fresh))).not.toContain('whisper')
  })

  it('[FEED-2] a topic that turns private while the edge is away: what comes after waits until nobody is left there', async () => {
    await ada.call('topics.create', { name: 'project/closing' })
    await ben.call('topics.follow', { topic: 'project/closing' })
    const session = await open(ben)
    await post('project/closing', 'still open')
    await arrived(session, 'still open')
    away(true)
    await ada.call('topics.update', { topic: 'project/closing', visibility: 'private' })
    await post('project/closing', 'now closed')
    away(false)
    await post('project/open', 'marker 3')
    await arrived(session, 'marker 3')
    const { topic } = await post('project/closing', 'closed 2')
    const call = createEdgeCaller({ url: edge.url, tokens })
    const source = async () => (await call({ method: 'GET', path: `/stream/topic:${topic.id}` })).text
    await expect.poll(source, PATIENCE).toContain('closed 2')
    expect(await source()).toContain('now closed')
    expect(JSON.stringify(await read(session))).not.toMatch(/now closed|closed 2/)
  })

  it('[LIVE-5] a sign-in that ends takes its session at the edge along', async () => {
    const guest = await product.person('guest')
    const session = await open(guest)
    expect(await read(session)).toEqual([])
    await guest.visitor.post('/api/auth/sign-out', {})
    await expect.poll(() => read(session), PATIENCE).toBe(404)
    expect((await guest.refusal('live.session', { session: session.id })).status).toBe(401)
  })

  it('[LIVE-11] what changed while the edge was away is brought there afterwards, by nobody in particular', async () => {
    await ada.call('topics.create', { name: 'project/late' })
    const session = await open(ben)
    away(true)
    await ben.call('topics.follow', { topic: 'project/late' })
    expect(await eve.call('live.session', {})).toEqual({ state: 'down' })
    away(false)
    await expect
      .poll(async () => {
        await post('project/late', 'late')
        return summaries(session)
      }, PATIENCE)
      .toContain('late')
  })

  it('[LIVE-11] an edge that forgot everything: sessions begin anew, and topics are there again', async () => {
    const before = await open(ben)
    const call = createEdgeCaller({ url: edge.url, tokens })
    const { topic } = await post('project/open', 'before the loss')
    await arrived(before, 'before the loss')
    await call({ method: 'DELETE', path: `/session/${before.id}` })
    await call({ method: 'DELETE', path: `/stream/topic:${topic.id}` })
    expect(await read(before)).toBe(404)
    const after = await open(ben, before.id)
    await post('project/open', 'after the loss')
    await arrived(after, 'after the loss')
    const source = JSON.parse((await call({ method: 'GET', path: `/stream/topic:${topic.id}` })).text) as Item[]
    expect(source.map(({ seq }) => seq)).toEqual(source.map((_, index) => index + 1))
  })

  it('[LIVE-17] the beat comes to readers at the edge while everything has arrived there', async () => {
    const session = await open(ben)
    const firstBeat = async () => {
      const headers = { authorization: `Bearer ${(await open(ben, session.id)).token}` }
      const answer = await fetch(`${session.url}?offset=now&live=sse&beat=true`, { headers })
      let text = ''
      for await (const bytes of answer.body!) {
        text += new TextDecoder().decode(bytes)
        const found = /event: beat\ndata:(.*)\n/.exec(text)
        // Leaving the loop closes the stream.
        if (found) return (JSON.parse(found[1]!) as { beatAgeMs: number | null }).beatAgeMs
      }
      return null
    }
    await expect.poll(firstBeat, PATIENCE).toEqual(expect.any(Number))
    expect(await firstBeat()).toBeLessThan(45_000)
  })
})
