import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TRPC_BATCH_MAX, TRPC_BODY_MAX_BYTES } from '#server/config/tuning.ts'
import { createVisitor, errorOf, INTERNAL_SECRET, newcomer, startTestApp, type TestApp } from './app.fixture.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ database: 'pglite' })
})
afterAll(() => app?.stop())

const logged = (requestId: string | null) => app.lines.filter((line) => line.includes(String(requestId)))

describe('every answer', () => {
  it('[FEED-21] has a strict policy with its own nonce, and the other protective headers', async () => {
    const [first, second] = await Promise.all([app.visitor().get('/'), app.visitor().get('/')])
    const policy = first.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/default-src 'none'/)
    expect(policy).toMatch(/script-src 'self' 'nonce-[A-Za-z0-9+/=]{22,}'(;|$)/)
    expect(policy).toMatch(/frame-ancestors 'none'/)
    expect(policy).toMatch(/connect-src 'self' https:\/\/edge\.example wss:\/\/edge\.example/)
    expect(policy).not.toMatch(/unsafe|upgrade-insecure-requests/)
    expect(second.headers.get('content-security-policy')).not.toBe(policy)
    expect(first.headers.get('x-content-type-options')).toBe('nosniff')
    expect(first.headers.get('x-frame-options')).toBe('DENY')
    expect(first.headers.has('x-powered-by')).toBe(false)
  })

  it('carries a request id: ours, or a well-formed one from outside', async () => {
    expect((await app.visitor().get('/healthz')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const given = await app.visitor().get('/healthz', { 'x-request-id': 'abcdef-123456' })
    expect(given.headers.get('x-request-id')).toBe('abcdef-123456')
    const odd = await app.visitor().get('/healthz', { 'x-request-id': 'a b"<script>' })
    expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('[FEED-9] is one log line without query string', async () => {
    const answer = await app.visitor().get('/api/nothing?token=sesame')
    const lines = logged(answer.headers.get('x-request-id'))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'request', path: '/api/nothing', status: 404, method: 'GET' })
    expect(lines[0]).not.toContain('sesame')
  })
})

describe('health and metrics', () => {
  it('says which dependency is missing', async () => {
    expect((await app.visitor().get('/healthz')).status).toBe(200)
    expect((await app.visitor().get('/readyz')).status).toBe(200)
    app.setReadiness({ database: true, redis: 'no connection' })
    const answer = await app.visitor().get('/readyz')
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ status: 'not ready', parts: { database: 'ok', redis: 'no connection' } })
    app.setReadiness({ database: true, redis: true })
  })

  it('counts requests by route group', async () => {
    await app.visitor().get('/api/unknown')
    const text = await (await app.visitor().get('/metrics')).text()
    expect(text).toMatch(/http_requests_total\{route="api-other",status="4xx"\} [1-9]/)
    expect(text).not.toContain('/api/unknown')
  })

  it('[MON-1] counts calls by procedure and outcome, each from zero', async () => {
    const before = await (await app.visitor().get('/metrics')).text()
    expect(before).toContain('trpc_calls_total{procedure="large",outcome="ok"} 0')
    await app.visitor().post('/api/trpc/taken', {})
    await app.visitor().get('/api/trpc/boom')
    await app.visitor().get('/api/trpc/no.such.call')
    const text = await (await app.visitor().get('/metrics')).text()
    expect(text).toMatch(/trpc_calls_total\{procedure="taken",outcome="refused"\} [1-9]/)
    expect(text).toMatch(/trpc_calls_total\{procedure="boom",outcome="failed"\} [1-9]/)
    expect(text).toMatch(/trpc_call_duration_seconds_count\{procedure="boom"\} [1-9]/)
    expect(text).not.toContain('no.such.call')
  })

  it('[MON-1] figures are for this machine, and not for what a proxy on it passes on', async () => {
    expect((await app.visitor().get('/metrics')).status).toBe(200)
    const passedOn = await app.visitor().get('/metrics', { 'x-forwarded-for': '127.0.0.1' })
    expect(passedOn.status).toBe(401)
    expect(await passedOn.text()).not.toContain('http_requests_total')
  })
})

describe('log lines', () => {
  it('[MON-8] carry the trace id of whoever called with one, and none otherwise', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    await app.visitor().get('/api/traced', { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
    await app.visitor().get('/api/untraced', { traceparent: 'not a trace' })
    const lines = () => app.lines.map((line) => JSON.parse(line)).filter(({ path }) => /traced$/.test(path ?? ''))
    await expect
      .poll(() => lines().map((line) => [line.path, line.traceId]))
      .toEqual([
        ['/api/traced', traceId],
        ['/api/untraced', undefined],
      ])
  })
})

describe('tRPC over HTTP', () => {
  const call = (name: string, input: unknown, headers = {}) => app.visitor().post(`/api/trpc/${name}`, input, headers)

  it('answers', async () => {
    expect(await (await call('echo', { text: 'hi' })).json()).toEqual({ result: { data: 'hi' } })
  })

  it.each([
    ['a wrong type', { text: 5 }, 'text'],
    ['something oversized', { text: 'x'.repeat(11) }, 'text'],
    ['something missing', {}, 'text'],
    ['a field that nobody knows', { text: 'a', more: 1 }, 'more'],
    ['something deep inside', { text: 'a', deep: { list: [1, 'two'] } }, 'deep.list.1'],
    ['no object at all', [1], 'input'],
  ])('[FEED-9] names the field of %s', async (_name, input, field) => {
    const answer = await call('echo', input)
    expect(answer.status).toBe(400)
    expect(await errorOf(answer)).toMatchObject({ code: 'INVALID_INPUT', field, requestId: expect.any(String) })
  })

  it('[FEED-9] refuses broken JSON, and does not repeat it', async () => {
    const answer = await call('echo', '{"text": hunter2')
    expect(answer.status).toBe(400)
    expect(await answer.clone().text()).not.toContain('hunter2')
    expect(await errorOf(answer)).toMatchObject({ code: 'INVALID_INPUT', field: 'body' })
    expect(logged(answer.headers.get('x-request-id')).join()).not.toContain('hunter2')
  })

  it('[FEED-9] refuses broken JSON in the address of a query', async () => {
    const answer = await app.visitor().get('/api/trpc/find?batch=1&input=%7Bbroken')
    expect(answer.status).toBe(400)
    const [first] = await answer.json()
    expect(first.error.data.error).toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('[FEED-9] answers 413 to an oversized body, and takes one just below', async () => {
    const tooLarge = await call('large', { text: 'x'.repeat(TRPC_BODY_MAX_BYTES) })
    expect(tooLarge.status).toBe(413)
    expect(await errorOf(tooLarge)).toMatchObject({ code: 'TOO_LARGE' })
    const justBelow = await call('large', { text: 'x'.repeat(TRPC_BODY_MAX_BYTES - 11) })
    expect(justBelow.status).toBe(200)
  })

  it('[FEED-9] takes nothing but JSON', async () => {
    const answer = await call('echo', 'text=hi', { 'content-type': 'application/x-www-form-urlencoded' })
    expect(answer.status).toBe(400)
    expect(await errorOf(answer)).toMatchObject({ code: 'INVALID_INPUT', field: 'body' })
  })

  it('gives our errors their own status and code', async () => {
    const taken = await call('taken', {})
    expect(taken.status).toBe(409)
    expect(await errorOf(taken)).toMatchObject({ code: 'NAME_TAKEN', message: 'Taken.', field: 'name' })
    const signedOut = await app.visitor().get('/api/trpc/mine')
    expect(signedOut.status).toBe(401)
    expect(await errorOf(signedOut)).toMatchObject({ code: 'SIGNED_OUT' })
    const unknown = await app.visitor().get('/api/trpc/no.such')
    expect(unknown.status).toBe(404)
    expect(await errorOf(unknown)).toMatchObject({ code: 'NOT_FOUND' })
    const wrongWay = await app.visitor().get('/api/trpc/taken')
    expect(wrongWay.status).toBe(405)
    expect(await errorOf(wrongWay)).toMatchObject({ code: 'WRONG_METHOD' })
  })

  it('[FEED-9] tells nobody outside what broke inside, and the log once', async () => {
    const answer = await app.visitor().get('/api/trpc/boom')
    expect(answer.status).toBe(500)
    const text = await answer.clone().text()
    expect(text).not.toContain('hunter2')
    expect(text).not.toMatch(/stack|\.ts:/)
    const requestId = answer.headers.get('x-request-id')
    expect(await errorOf(answer)).toMatchObject({ code: 'INTERNAL', requestId })
    const errors = logged(requestId).filter((line) => line.includes('"level":"error"'))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(INTERNAL_SECRET.slice(0, 17))
  })

  it('[FEED-9] limits how many calls one batch may hold', async () => {
    const names = (count: number) => Array.from({ length: count }, () => 'whoAmI').join(',')
    expect((await app.visitor().get(`/api/trpc/${names(TRPC_BATCH_MAX)}?batch=1&input=%7B%7D`)).status).toBe(200)
    const answer = await app.visitor().get(`/api/trpc/${names(TRPC_BATCH_MAX + 1)}?batch=1&input=%7B%7D`)
    expect(answer.status).toBe(400)
  })
})

describe('requests from elsewhere', () => {
  it('[FEED-21] are refused when they would change something', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      for (const path of ['/api/trpc/echo', '/api/auth/sign-in/email']) {
        const answer = await app.visitor().post(path, { text: 'hi' }, headers)
        expect(answer.status).toBe(403)
        expect(await errorOf(answer)).toMatchObject({ code: 'BAD_ORIGIN' })
      }
    }
  })

  it('[FEED-21] with a cookie need an origin or our header', async () => {
    const headers = { cookie: 'a=b', 'content-type': 'application/json' }
    const init = { method: 'POST', body: '{"text":"hi"}' }
    expect((await fetch(`${app.base}/api/trpc/echo`, { ...init, headers })).status).toBe(403)
    const named = { ...headers, 'x-requested-with': 'script' }
    expect((await fetch(`${app.base}/api/trpc/echo`, { ...init, headers: named })).status).toBe(200)
  })

  it('[FEED-21] are never told that they may read', async () => {
    const answer = await fetch(`${app.base}/api/trpc/echo`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('allow')).toContain('POST')
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('other addresses', () => {
  it('[FEED-9] answers typed JSON to an unknown API path, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await createVisitor(app.base).send('/api/nothing/here', { method })
      expect(answer.status).toBe(404)
      expect(await errorOf(answer)).toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  it('[FEED-9] answers 405 where the method is wrong', async () => {
    const events = await app.visitor().post('/api/events/activities', {})
    expect(events.status).toBe(405)
    expect(events.headers.get('allow')).toBe('GET')
    expect((await app.visitor().send('/api/events/activities', { method: 'HEAD' })).status).toBe(405)
    expect((await app.visitor().send('/api/trpc/echo', { method: 'PUT' })).status).toBe(405)
    expect((await app.visitor().get('/api/auth/sign-in/email')).status).toBe(405)
  })

  it('answers HEAD like GET without a body', async () => {
    for (const path of ['/', '/healthz']) {
      const answer = await app.visitor().send(path, { method: 'HEAD' })
      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe('')
    }
  })

  it('[FEED-9] survives an address that cannot be decoded', async () => {
    const answer = await app.visitor().get('/api/auth/%E0%A4%A')
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  })
})

describe('the stream', () => {
  it('[FEED-21] is for people who are signed in', async () => {
    const visitor = app.visitor('198.51.100.40')
    const refused = await visitor.get('/api/events/activities')
    expect(refused.status).toBe(401)
    expect(refused.headers.get('content-type')).toContain('application/json')
    expect(await errorOf(refused)).toMatchObject({ code: 'SIGNED_OUT' })
    await visitor.post('/api/auth/sign-up/email', newcomer('streamer'))
    await visitor.post('/api/auth/sign-in/email', { email: 'streamer@example.org', password: 'correct horse battery' })
    const id = (await app.pool.query('select id from users where handle = $1', ['streamer'])).rows[0].id
    expect(await (await visitor.get('/api/events/activities')).text()).toBe(`data: ${id}\n\n`)
  })
})
