// Who may do what, asked over HTTP: tokens that are right, wrong, old and for something else.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Edge } from '#scripts/edge/edge-process.ts'
import { startTestEdge } from '#scripts/testing/edge.ts'
import { edgeToken, TEST_KEYS, TEST_PROJECT, type TokenWish } from '#scripts/testing/edge-tokens.ts'

let edge: Edge
beforeAll(async () => {
  edge = await startTestEdge({ EDGE_PROJECT_KEYS: TEST_KEYS, EDGE_CORS_ORIGINS: 'https://feed.example' })
})
afterAll(() => edge.stop())

const address = (id: string, project = TEST_PROJECT) => `${edge.url}/v1/${project}/stream/${id}`
const bearer = async (wish?: TokenWish) => ({ Authorization: `Bearer ${await edgeToken(wish)}` })
const put = async (id: string, wish?: TokenWish, headers: Record<string, string> = {}) =>
  fetch(address(id), { method: 'PUT', headers: { ...(await bearer(wish)), ...headers }, body: 'x' })

describe('[STR-5] tokens', () => {
  test('the origin writes and reads; nobody else does', async () => {
    expect((await put('topic:a')).status).toBe(201)
    expect((await fetch(address('topic:a'), { headers: await bearer() })).status).toBe(200)
    for (const method of ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']) {
      expect((await fetch(address('topic:a'), { method })).status).toBe(401)
    }
  })

  test('the key before the last one still counts', async () => {
    expect((await put('topic:rotated', { kid: 'old' })).status).toBe(201)
  })

  test.each<[string, TokenWish]>([
    ['an unknown key', { kid: 'nobody' }],
    ['another secret under our key', { secret: new Uint8Array(32).fill(7) }],
    ['a token that ended', { seconds: -60 }],
    ['a token for another service', { audience: 'somewhere-else' }],
    ['a scope that does not exist', { scope: 'admin' }],
  ])('%s is refused', async (_, wish) => {
    expect((await put('topic:forged', wish)).status).toBe(401)
  })

  test('a token of one project opens nothing in another', async () => {
    const response = await fetch(address('topic:a', 'other'), { headers: await bearer() })
    expect(response.status).toBe(401)
    expect((await put('topic:a', { project: 'other' })).status).toBe(403)
  })

  test('a read token reads its own session stream only, and writes nothing', async () => {
    const [mine, theirs] = [`session:${randomUUID()}`, `session:${randomUUID()}`]
    const headers = await bearer({ scope: 'read', stream: mine })
    const status = async (id: string, method = 'GET') => (await fetch(address(id), { method, headers })).status
    // It does not exist yet, but that much the token may know.
    expect(await status(mine)).toBe(404)
    expect(await status(theirs)).toBe(403)
    expect(await status('topic:a')).toBe(403)
    expect(await status(mine, 'DELETE')).toBe(403)
    expect(await status('__ds/subscriptions/s')).toBe(403)
    const longLived = await bearer({ scope: 'read', stream: mine, seconds: 3_600 })
    expect((await fetch(address(mine), { headers: longLived })).status).toBe(403)
  })

  test('not even the origin writes session streams by hand', async () => {
    expect((await put(`session:${randomUUID()}`)).status).toBe(403)
  })

  test('a live read ends with its token', async () => {
    await put('topic:live')
    const headers = await bearer({ seconds: -27 })
    const response = await fetch(`${address('topic:live')}?offset=now&live=sse`, { headers })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('event: control')
  })

  test('what a token opened is kept by its reader only, unless the stream is public', async () => {
    await put('topic:private')
    await put('topic:public', {}, { 'Stream-Public': 'true' })
    const control = async (id: string) =>
      (await fetch(address(id), { headers: await bearer() })).headers.get('Cache-Control')
    expect(await control('topic:private')).toMatch(/^private/)
    expect(await control('topic:public')).toMatch(/^public/)
  })

  test('only pages on the list may read answers', async () => {
    const origin = async (from: string) =>
      (await fetch(`${edge.url}/health`, { headers: { Origin: from } })).headers.get('Access-Control-Allow-Origin')
    expect(await origin('https://feed.example')).toBe('https://feed.example')
    expect(await origin('https://evil.example')).toBeNull()
  })
})

describe('[STR-6] bad input', () => {
  test('a body that is too large is refused, told or untold, and nothing is stored', async () => {
    await put('topic:large')
    const headers = { ...(await bearer()), 'Content-Type': 'application/octet-stream' }
    const large = new Uint8Array(8 * 1024 * 1024 + 1)
    const told = await fetch(address('topic:large'), { method: 'POST', headers, body: large })
    expect(told.status).toBe(413)
    const untold = await fetch(address('topic:large'), {
      ...{ method: 'POST', headers, duplex: 'half' },
      body: new Blob([large]).stream(),
    })
    expect(untold.status).toBe(413)
    expect(await (await fetch(address('topic:large'), { headers })).text()).toBe('x')
  })

  test.each(['a b', 'a//b', '%2e%2e/x', 'session:1', 'topic:a/b', '%00'])('%j names no stream', async (id) => {
    expect((await fetch(address(id), { headers: await bearer() })).status).toBe(400)
  })

  test('a fork cannot reach into another project, nor into the product’s streams', async () => {
    await put('topic:source')
    for (const source of ['/v1/stream/open', '/v1/other/stream/a', `/v1/${TEST_PROJECT}/stream/topic:source`]) {
      expect((await put('forked', {}, { 'Stream-Forked-From': source })).status).toBe(404)
    }
  })
})
