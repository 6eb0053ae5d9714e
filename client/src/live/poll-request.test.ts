import { describe, expect, it } from 'vitest'
import { askSince, POLL_TIMEOUT_MS } from './poll-request.ts'
import { handClock } from './testing.ts'

const page = { items: [], nextCursor: null, heads: {}, liveCursor: 'epoch1.9-0', followsVersion: 1 }

function setUp(answer: (signal: AbortSignal) => Response | Promise<Response>) {
  const clock = handClock()
  const requests: { url: string; headers: Headers; cache: string | undefined }[] = []
  const deps = {
    fetch: async (url: string | URL | Request, init: RequestInit = {}) => {
      requests.push({ url: String(url), headers: new Headers(init.headers), cache: init.cache })
      return answer(init.signal!)
    },
    ...clock,
  }
  return {
    requests,
    pass: clock.pass,
    ask: (tag?: string) => askSince(deps, { since: 'epoch1.5-0', ...(tag ? { tag } : {}) }),
  }
}

describe('poll request', () => {
  it('[LIVE-10] is one GET of one call, in the very form that the server answers from memory', async () => {
    const run = setUp(() => Response.json({ result: { data: page } }, { headers: { etag: '"a.1.1"' } }))
    expect(await run.ask()).toEqual({ ok: true, page, tag: '"a.1.1"' })
    expect(run.requests[0]!.url).toBe('/api/trpc/activities.getFeed?input=%7B%22since%22%3A%22epoch1.5-0%22%7D')
    expect(run.requests[0]!.headers.has('if-none-match')).toBe(false)
    expect(run.requests[0]!.cache).toBe('no-store')
  })

  it('[LIVE-10] with a tag, 304 means that nothing is new', async () => {
    const run = setUp(() => new Response(null, { status: 304 }))
    expect(await run.ask('"a.1.1"')).toEqual({ ok: true, page: null })
    expect(run.requests[0]!.headers.get('if-none-match')).toBe('"a.1.1"')
  })

  for (const status of [429, 503])
    it(`[LIVE-10] ${status} says when to come back`, async () => {
      const run = setUp(() => new Response('{}', { status, headers: { 'retry-after': '7' } }))
      expect(await run.ask()).toEqual({ ok: false, signedOut: false, retryAfterMs: 7_000 })
    })

  it('[LIVE-5] 401 is the end of the session', async () => {
    const run = setUp(() => new Response('{}', { status: 401 }))
    expect(await run.ask()).toMatchObject({ ok: false, signedOut: true })
  })

  it('[LIVE-10] no network and a page that is not ours are failures like any other', async () => {
    const failure = { ok: false, signedOut: false, retryAfterMs: null }
    expect(await setUp(() => Promise.reject(new TypeError('no network'))).ask()).toEqual(failure)
    expect(await setUp(() => new Response('<html>')).ask()).toEqual(failure)
  })

  it('[LIVE-13] a question that is never answered is given up', async () => {
    const run = setUp(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    )
    const asked = run.ask()
    await run.pass(POLL_TIMEOUT_MS)
    expect(await asked).toMatchObject({ ok: false })
  })
})
