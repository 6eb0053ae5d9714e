import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createGuardedPost } from './guarded-post.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function receiver(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const request = (url: string) => ({ url, headers: { 'x-test': 'yes' }, body: '{"a":"ü"}' })
const open = (more: Partial<Parameters<typeof createGuardedPost>[0]> = {}) =>
  createGuardedPost({ allowPrivate: true, timeoutMs: 5_000, answerBytes: 16, ...more })
/** A resolver that leads a name to these addresses. */
const leadsTo = (...addresses: string[]) =>
  ((_name: string, _options: unknown, done: (error: null, found: { address: string; family: number }[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as NonNullable<Parameters<typeof createGuardedPost>[0]['lookup']>

describe('the door for webhooks', () => {
  it('[FEED-12] posts what it is given and reads the beginning of the answer', async () => {
    const seen: { method?: string; test: unknown; body: string }[] = []
    const port = await receiver((req, res) => {
      let body = ''
      req.on('data', (part) => {
        body += part
      })
      req.on('end', () => {
        seen.push({ ...(req.method && { method: req.method }), test: req.headers['x-test'], body })
        res.writeHead(201, { 'retry-after': '7' }).end('x'.repeat(5_000_000))
      })
    })
    const answer = await open()(request(`http://127.0.0.1:${port}/hook?a=1`))
    expect(answer).toEqual({ is: 'answered', status: 201, body: 'x'.repeat(16), retryAfterMs: 7_000 })
    expect(seen).toEqual([{ method: 'POST', test: 'yes', body: '{"a":"ü"}' }])
  })

  it('[FEED-12] a redirect is an answer, and is not followed', async () => {
    let asked = 0
    const port = await receiver((_req, res) => {
      asked++
      res.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await open()(request(`http://127.0.0.1:${port}/`))).toMatchObject({ is: 'answered', status: 307 })
    expect(asked).toBe(1)
  })

  it.each(['127.0.0.1', '[::1]', '169.254.169.254', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]'])(
    '[FEED-12] an address of our own network is refused before anything is sent: %s',
    async (host) => {
      const port = await receiver((_req, res) => res.end('inside'))
      const answer = await open({ allowPrivate: false })(request(`http://${host}:${port}/`))
      expect(answer.is).toBe('refused')
    },
  )

  it('[FEED-12] a name is judged by what it leads to when the connection is made', async () => {
    let reached = 0
    const port = await receiver((_req, res) => {
      reached++
      res.end()
    })
    const url = `http://harmless.example:${port}/`
    for (const addresses of [['127.0.0.1'], ['93.184.216.34', '10.0.0.1'], ['::1'], []]) {
      const answer = await open({ allowPrivate: false, lookup: leadsTo(...addresses) })(request(url))
      expect(answer).toEqual({ is: 'refused', reason: 'The name leads to an address that is not public.' })
    }
    expect(reached).toBe(0)
    // The same name is fine where the operator says so.
    expect(await open({ lookup: leadsTo('127.0.0.1') })(request(url))).toMatchObject({ is: 'answered', status: 200 })
  })

  it('[FEED-12] what cannot be reached is said in words that name nothing inside', async () => {
    const port = await receiver((req) => req.socket.destroy())
    expect(await open()(request(`http://127.0.0.1:${port}/`))).toEqual({
      is: 'unreachable',
      reason: 'The connection was cut.',
    })
    const failing = ((_name: string, _options: unknown, done: (error: Error) => void) =>
      done(
        Object.assign(new Error('getaddrinfo ENOTFOUND db.internal'), { code: 'ENOTFOUND' }),
      )) as unknown as LookupFunction
    expect(await open({ lookup: failing as never })(request('http://nowhere.example/'))).toEqual({
      is: 'unreachable',
      reason: 'The name is not known.',
    })
  })

  it('[FEED-12] a receiver that never answers, or never ends, is left after the time limit', async () => {
    const silent = await receiver(() => {})
    expect(await open({ timeoutMs: 150 })(request(`http://127.0.0.1:${silent}/`))).toEqual({
      is: 'unreachable',
      reason: 'No answer within 0.15 s.',
    })
    const dripping = await receiver((_req, res) => void res.writeHead(200).write('a'))
    expect(await open({ timeoutMs: 150 })(request(`http://127.0.0.1:${dripping}/`))).toMatchObject({
      is: 'unreachable',
    })
  })
})
