// The protocol over HTTP for one stream: reads what a request says, asks the stream's object, and writes its answer.
import { systemClock, systemRandom } from '#shared/clock.ts'
import { beatOf } from './beat.ts'
import { mediaType } from './core/content-type.ts'
import type { CreateRequest, ForkRequest } from './core/create.ts'
import { nextCursor } from './core/cursor.ts'
import { parseLifetime } from './core/expiry.ts'
import { formatOffset, parseOffset, parseOffsetRequest } from './core/offset.ts'
import { parseStamp } from './core/producer.ts'
import { entityTag, matchesTag, readBody, readHeaders } from './core/read.ts'
import { isRefusal, type Refusal, refuse } from './core/refusal.ts'
import { isReserved, objectName, parseRoute, type StreamRoute } from './core/route.ts'
import { parseSubOffset } from './core/sub-offset.ts'
import { MAX_BODY_BYTES } from './core/tuning.ts'
import { beatMs, heartbeatMs, longPollMs, type StreamsEnv, sseLifeMs } from './env.ts'
import { longPoll, openSse } from './live-reads.ts'
import { readBodyUpTo } from './request-body.ts'
import type { Description } from './rpc.ts'

export type StreamRequest = {
  request: Request
  route: StreamRoute
  env: StreamsEnv
  ctx: ExecutionContext
  /** When the caller's right to read ends. */
  endsAtMs: number | null
}

const isTrue = (header: string | null): boolean => header?.toLowerCase() === 'true'

export async function handleStream(call: StreamRequest): Promise<Response | Refusal> {
  switch (call.request.method) {
    case 'PUT':
      return create(call)
    case 'POST':
      return append(call)
    case 'GET':
      return read(call)
    case 'HEAD':
      return describe(call)
    case 'DELETE': {
      const refused = await stubOf(call).remove()
      return refused ?? new Response(null, { status: 204 })
    }
    default:
      return refuse(405, 'streams know GET, HEAD, PUT, POST and DELETE', { Allow: 'GET, HEAD, PUT, POST, DELETE' })
  }
}

async function create(call: StreamRequest): Promise<Response | Refusal> {
  const { headers, url } = call.request
  const contentType = headers.get('Content-Type')
  if (contentType !== null && mediaType(contentType) === null) return refuse(400, 'Content-Type is not a media type')
  const lifetime = parseLifetime(headers.get('Stream-TTL'), headers.get('Stream-Expires-At'))
  if (isRefusal(lifetime)) return lifetime
  const fork = forkOf(headers, call.route.project)
  if (isRefusal(fork)) return fork
  const body = await readBodyUpTo(call.request, MAX_BODY_BYTES)
  if (isRefusal(body)) return body
  const wish: CreateRequest = {
    ...{ contentType, lifetime, fork },
    closed: isTrue(headers.get('Stream-Closed')),
    isPublic: isTrue(headers.get('Stream-Public')),
  }
  const { project, id } = call.route
  const made = await stubOf(call).create(objectName(project, id), wish, body, isReserved(id))
  if (isRefusal(made)) return made
  const address = new URL(url)
  return new Response(null, {
    status: made.created ? 201 : 200,
    headers: { ...headHeaders(made), ...(made.created ? { Location: `${address.origin}${address.pathname}` } : {}) },
  })
}

function forkOf(headers: Headers, project: string): ForkRequest | Refusal | null {
  const from = headers.get('Stream-Forked-From')
  const offset = headers.get('Stream-Fork-Offset')
  const sub = headers.get('Stream-Fork-Sub-Offset')
  if (from === null)
    return offset === null && sub === null ? null : refuse(400, 'a fork offset needs Stream-Forked-From')
  const anchor = offset === null ? null : offset === '-1' ? 0 : parseOffset(offset)
  if (offset !== null && anchor === null) return refuse(400, 'Stream-Fork-Offset was not handed out by this server')
  const subOffset = sub === null ? 0 : parseSubOffset(sub)
  if (subOffset === null) return refuse(400, 'Stream-Fork-Sub-Offset must be a whole number')
  const source = parseRoute(from)
  // Another project's streams do not exist from here.
  if (source?.kind !== 'stream' || source.project !== project || isReserved(source.id))
    return refuse(404, 'there is no such source')
  return { source: objectName(source.project, source.id), anchor, subOffset }
}

async function append(call: StreamRequest): Promise<Response | Refusal> {
  const { headers } = call.request
  const stamp = parseStamp((name) => headers.get(name))
  if (isRefusal(stamp)) return stamp
  const body = await readBodyUpTo(call.request, MAX_BODY_BYTES)
  if (isRefusal(body)) return body
  const close = isTrue(headers.get('Stream-Closed'))
  const contentType = headers.get('Content-Type')
  if (body.length === 0 && !close) return refuse(400, 'the body is empty')
  if (body.length > 0 && contentType === null) return refuse(400, 'Content-Type is needed')
  const writerSeq = headers.get('Stream-Seq')
  const afterSeq = headers.get('Stream-After-Seq')
  const done = await stubOf(call).append({ contentType, body, close, stamp, writerSeq, afterSeq })
  if (isRefusal(done)) return done
  return new Response(null, {
    status: done.producer !== null && done.fresh ? 200 : 204,
    headers: {
      'Stream-Next-Offset': formatOffset(done.tail),
      ...(done.closed ? { 'Stream-Closed': 'true' } : {}),
      ...(done.producer === null
        ? {}
        : { 'Producer-Epoch': String(done.producer.epoch), 'Producer-Seq': String(done.producer.seq) }),
    },
  })
}

async function read(call: StreamRequest): Promise<Response | Refusal> {
  const query = new URL(call.request.url).searchParams
  const offsets = query.getAll('offset')
  const live = query.get('live')
  if (offsets.length > 1) return refuse(400, 'one offset is enough')
  if (live !== null && live !== 'sse' && live !== 'long-poll') return refuse(400, 'live must be long-poll or sse')
  if (live !== null && offsets.length === 0) return refuse(400, 'a live read needs an offset')
  const offset = parseOffsetRequest(offsets[0] ?? '-1')
  if (offset === null) return refuse(400, 'the offset was not handed out by this server')
  const stub = stubOf(call)
  const cursor = query.get('cursor')
  const { env, endsAtMs } = call
  const beat = query.get('beat') === 'true' ? { ask: beatOf(env, call.route.project), everyMs: beatMs(env) } : null
  const times = { endsAtMs, heartbeatMs: heartbeatMs(env), lifeMs: sseLifeMs(env) }
  const liveRead = { stub, offset, cursor, beat, ...times }
  if (live === 'sse') return openSse(liveRead, call.ctx)

  const result = live === null ? await stub.read(offset) : await longPoll(liveRead, longPollMs(call.env))
  if (isRefusal(result)) return result
  const mode = live ?? (offset.at === 'now' ? 'now' : 'catch-up')
  const nowCursor = live === null ? null : nextCursor(cursor, systemClock.now(), systemRandom)
  const headers = readHeaders(result, mode, nowCursor)
  if (live !== null && result.body.length === 0)
    return new Response(null, { status: 204, headers: { ...headers, 'Cache-Control': 'no-store' } })
  if (mode !== 'now' && matchesTag(call.request.headers.get('If-None-Match'), entityTag(result)))
    return new Response(null, { status: 304, headers })
  return new Response(readBody(result), { headers })
}

async function describe(call: StreamRequest): Promise<Response | Refusal> {
  const description = await stubOf(call).describe()
  if (isRefusal(description)) return description
  // Live readers at this moment; not of the protocol, but what an operator asks first.
  const readers = { 'Stream-Readers': String(description.readers) }
  return new Response(null, { headers: { ...headHeaders(description), ...readers, 'Cache-Control': 'no-store' } })
}

function headHeaders({ contentType, tail, closed, lifetime }: Description): Record<string, string> {
  return {
    'Content-Type': contentType,
    'Stream-Next-Offset': formatOffset(tail),
    ...(closed ? { 'Stream-Closed': 'true' } : {}),
    ...(lifetime.kind === 'sliding' ? { 'Stream-TTL': String(lifetime.ttlSeconds) } : {}),
    ...(lifetime.kind === 'until' ? { 'Stream-Expires-At': new Date(lifetime.atMs).toISOString() } : {}),
  }
}

const stubOf = ({ env, route }: StreamRequest) => env.STREAM_DO.getByName(objectName(route.project, route.id))
