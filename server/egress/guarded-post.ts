// The one door through which requests leave for addresses that people typed. The address that a name resolves to is
// judged at the moment of connecting, so a name that answers differently the second time gains nothing; redirects are
// answers like any other; time and the part of the answer that is read are bounded.
import { lookup as resolve } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Answer, PostOut } from '#server/app/webhook-ports.ts'
import { isPublicAddress } from './public-address.ts'

export type GuardedPostOptions = {
  allowPrivate: boolean
  timeoutMs: number
  answerBytes: number
  lookup?: typeof resolve
}

class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'
}

export function createGuardedPost(options: GuardedPostOptions): PostOut {
  const { allowPrivate, timeoutMs, answerBytes, lookup = resolve } = options
  const allowed = (address: string) => allowPrivate || isPublicAddress(address)

  const guardedLookup: LookupFunction = (hostname, asked, done) => {
    lookup(hostname, { ...asked, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      // One private address among public ones is one too many: which of them is used is not ours to say.
      const bad = addresses.length === 0 || addresses.some(({ address }) => !allowed(address))
      if (bad) return done(new RefusedAddress('The name leads to an address that is not public.'), '')
      const first = addresses[0]!
      if (asked.all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
  // Connections are not kept: a target of one person must not find another's, and a judged address is used once.
  const agents = { 'http:': new HttpAgent({ keepAlive: false }), 'https:': new HttpsAgent({ keepAlive: false }) }

  return ({ url, headers, body }) =>
    new Promise<Answer>((settle) => {
      const target = new URL(url)
      const host = target.hostname.replace(/^\[|\]$/g, '')
      // Sockets do not look up what is an address already.
      if (isIP(host) !== 0 && !allowed(host))
        return settle({ is: 'refused', reason: 'The address is not a public one.' })
      const secure = target.protocol === 'https:'
      const request = (secure ? httpsRequest : httpRequest)(target, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: secure ? agents['https:'] : agents['http:'],
        lookup: guardedLookup,
        signal: AbortSignal.timeout(timeoutMs),
      })
      request.once('error', (error) => settle(failure(error, timeoutMs)))
      request.once('response', (response) => {
        readStart(response, answerBytes).then(
          (text) =>
            settle({
              is: 'answered',
              status: response.statusCode ?? 0,
              body: text,
              retryAfterMs: retryAfterMs(response.headers['retry-after']),
            }),
          (error: Error) => settle(failure(error, timeoutMs)),
        )
      })
      request.end(body)
    })
}

/** The beginning of an answer; the rest is not waited for. */
async function readStart(response: IncomingMessage, most: number): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response) {
    parts.push(part as Buffer)
    size += (part as Buffer).length
    if (size >= most) break
  }
  response.destroy()
  return Buffer.concat(parts).subarray(0, most).toString('utf8').replaceAll('\0', '')
}

function retryAfterMs(header: string | undefined): number | null {
  const seconds = Number(header ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'Nobody listens at this address.',
  ECONNRESET: 'The connection was cut.',
  ENOTFOUND: 'The name is not known.',
  EAI_AGAIN: 'The name could not be looked up.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The host did not answer in time.',
}

/** In our own words: what the system says may name addresses inside our network. */
function failure(error: NodeJS.ErrnoException, timeoutMs: number): Answer {
  const cause = error.cause
  if (error instanceof RefusedAddress || cause instanceof RefusedAddress)
    return { is: 'refused', reason: 'The name leads to an address that is not public.' }
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return { is: 'unreachable', reason: `No answer within ${timeoutMs / 1_000} s.` }
  const code = error.code ?? ''
  if (code.startsWith('ERR_TLS') || code.includes('CERT') || code.startsWith('ERR_SSL'))
    return { is: 'unreachable', reason: `The secure connection failed (${code}).` }
  return { is: 'unreachable', reason: REASONS[code] ?? 'The request failed.' }
}
