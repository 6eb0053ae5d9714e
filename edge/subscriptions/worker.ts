// The subscription worker: publish and subscribe over HTTP, fan-out from the queue, and the sweeper.
import { z } from 'zod'
import { systemClock } from '#shared/clock.ts'
import { corsHeaders, preflight } from '../lib/cors.ts'
import { metricsResponse } from '../lib/metrics-route.ts'
import { type Authorize, projectJwtAuth } from '../lib/project-jwt-auth.ts'
import { formatOffset } from '../streams/core/offset.ts'
import { parseStamp } from '../streams/core/producer.ts'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import { objectName } from '../streams/core/route.ts'
import { MAX_BODY_BYTES } from '../streams/core/tuning.ts'
import { readBodyUpTo } from '../streams/request-body.ts'
import { cleanupExpiredSessions } from './cleanup.ts'
import { MAX_STREAMS_PER_REQUEST, MAX_STREAMS_PER_SESSION } from './constants.ts'
import type { FanoutQueueMessage } from './core/plan.ts'
import {
  isSessionId,
  isSourceId,
  parseSubscriptionRoute,
  type SubscriptionRoute,
  sessionStreamId,
} from './core/route.ts'
import type { SubscriptionsEnv } from './env.ts'
import { recordEvent } from './events.ts'
import { consumeFanout } from './fanout-consumer.ts'
import type { Published } from './rpc.ts'

export { SessionDO } from './session-object.ts'
export { SubscriptionDO } from './subscription-object.ts'

const sourceId = z.string().refine(isSourceId, 'must be the id of a stream')
const subscribeSchema = z.object({
  sessionId: z.string().refine(isSessionId, 'must be a UUID in small letters'),
  streamId: z.union([sourceId, z.array(sourceId).min(1).max(MAX_STREAMS_PER_REQUEST)]),
})
const assignSchema = z.object({
  version: z.int().min(0),
  streamIds: z.array(sourceId).max(MAX_STREAMS_PER_SESSION),
})
const MAX_JSON_BYTES = 512 * 1024

export default {
  async fetch(request, env): Promise<Response> {
    const startedMs = systemClock.now()
    const origin = request.headers.get('Origin')
    if (request.method === 'OPTIONS') return preflight(env.EDGE_CORS_ORIGINS, origin)
    const { pathname } = new URL(request.url)
    if (pathname === '/metrics') return metricsResponse(request, env)
    const route = parseSubscriptionRoute(request.method, pathname)
    const result =
      route === null ? refuse(404, 'nothing is here') : await answer(request, route, env, projectJwtAuth(env))
    const response = isRefusal(result) ? refusalResponse(result) : result
    const headers = new Headers(response.headers)
    const extra = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }
    for (const [name, value] of Object.entries({ ...extra, ...corsHeaders(env.EDGE_CORS_ORIGINS, origin) }))
      headers.set(name, value)
    const detail = `${route?.action ?? 'unknown'} ${response.status}`
    recordEvent(env, { type: 'http', detail, latencyMs: systemClock.now() - startedMs })
    return new Response(response.body, { status: response.status, headers })
  },

  async queue(batch, env): Promise<void> {
    await consumeFanout(batch, env)
  },

  async scheduled(_, env): Promise<void> {
    const startedMs = systemClock.now()
    const count = await cleanupExpiredSessions(env)
    recordEvent(env, { type: 'cleanup_batch', detail: 'sweep', count, latencyMs: systemClock.now() - startedMs })
  },
} satisfies ExportedHandler<SubscriptionsEnv, FanoutQueueMessage>

async function answer(
  request: Request,
  route: SubscriptionRoute,
  env: SubscriptionsEnv,
  authorize: Authorize,
): Promise<Response | Refusal> {
  const { project } = route
  const ownRead = route.action === 'get-session' || route.action === 'touch-session'
  const wanted = ownRead
    ? ({ right: 'read', stream: sessionStreamId(route.sessionId) } as const)
    : ({ right: 'write', stream: null } as const)
  const access = await authorize(request, { project, ...wanted })
  if (!access.granted) return refuse(access.status, access.reason)

  switch (route.action) {
    case 'publish':
      return publish(request, project, route.streamId, env)
    case 'subscribe':
    case 'unsubscribe':
      return changeSubscription(request, route.action, project, env)
    case 'get-session': {
      const info = await session(env, project, route.sessionId).info()
      return info === null
        ? NO_SESSION
        : Response.json({ ...info, sessionStreamPath: streamPath(project, info.sessionId) })
    }
    case 'touch-session': {
      const expiresAt = await session(env, project, route.sessionId).touch()
      return expiresAt === null ? NO_SESSION : Response.json({ sessionId: route.sessionId, expiresAt })
    }
    case 'assign-session':
      return assign(request, project, route.sessionId, env)
    case 'tell-session':
      return tell(request, project, route.sessionId, env)
    case 'delete-session': {
      const ended = await session(env, project, route.sessionId).end()
      return ended ? new Response(null, { status: 204 }) : NO_SESSION
    }
  }
}

const NO_SESSION = refuse(404, 'there is no such session')

async function publish(
  request: Request,
  project: string,
  id: string,
  env: SubscriptionsEnv,
): Promise<Response | Refusal> {
  const { headers } = request
  const stamp = parseStamp((name) => headers.get(name))
  if (isRefusal(stamp)) return stamp
  const contentType = headers.get('Content-Type')
  if (contentType === null) return refuse(400, 'Content-Type is needed')
  const body = await readBodyUpTo(request, MAX_BODY_BYTES)
  if (isRefusal(body)) return body
  if (body.length === 0) return refuse(400, 'the body is empty')
  const seqs = { writerSeq: headers.get('Stream-Seq'), afterSeq: headers.get('Stream-After-Seq') }
  const wish = { contentType, body, close: false, stamp, ...seqs }
  return publishedResponse(await env.SUBSCRIPTION_DO.getByName(objectName(project, id)).publish({ project, id }, wish))
}

function publishedResponse({ appended, fanout }: Published): Response | Refusal {
  if (isRefusal(appended)) return appended
  const { producer } = appended
  return new Response(null, {
    status: producer !== null && appended.fresh ? 200 : 204,
    headers: {
      'Stream-Next-Offset': formatOffset(appended.tail),
      'Stream-Fanout-Count': String(fanout.count),
      'Stream-Fanout-Successes': String(fanout.successes),
      'Stream-Fanout-Failures': String(fanout.failures),
      'Stream-Fanout-Mode': fanout.mode,
      ...(producer === null ? {} : { 'Producer-Epoch': String(producer.epoch), 'Producer-Seq': String(producer.seq) }),
    },
  })
}

async function changeSubscription(
  request: Request,
  action: 'subscribe' | 'unsubscribe',
  project: string,
  env: SubscriptionsEnv,
): Promise<Response | Refusal> {
  const body = await readBodyUpTo(request, MAX_JSON_BYTES)
  if (isRefusal(body)) return body
  const parsed = subscribeSchema.safeParse(parseJson(body))
  if (!parsed.success) return refuse(400, problemOf(parsed.error))
  const { sessionId, streamId } = parsed.data
  const streamIds = [...new Set([streamId].flat())]
  const object = session(env, project, sessionId)
  if (action === 'unsubscribe') {
    for (const id of streamIds) await object.unsubscribe({ project, sessionId }, id)
    return new Response(null, { status: 204 })
  }
  const done = await object.subscribe({ project, sessionId }, streamIds)
  if (isRefusal(done)) return done
  const { expiresAt, isNewSession, startOffset } = done
  return Response.json({
    ...{ sessionId, streamId, sessionStreamPath: streamPath(project, sessionId), expiresAt, isNewSession },
    ...(startOffset === null ? {} : { startOffset: formatOffset(startOffset) }),
  })
}

async function assign(request: Request, project: string, sessionId: string, env: SubscriptionsEnv) {
  const body = await readBodyUpTo(request, MAX_JSON_BYTES)
  if (isRefusal(body)) return body
  const parsed = assignSchema.safeParse(parseJson(body))
  if (!parsed.success) return refuse(400, problemOf(parsed.error))
  const { version, streamIds } = parsed.data
  const done = await session(env, project, sessionId).assign({ project, sessionId }, version, [...new Set(streamIds)])
  if (isRefusal(done)) return done
  const { start, ...rest } = done
  const place = { sessionStreamPath: streamPath(project, sessionId), startOffset: formatOffset(start) }
  return Response.json({ sessionId, version, ...place, ...rest })
}

async function tell(request: Request, project: string, sessionId: string, env: SubscriptionsEnv) {
  const body = await readBodyUpTo(request, MAX_JSON_BYTES)
  if (isRefusal(body)) return body
  const told = await env.CORE.handTo({ project, id: sessionStreamId(sessionId) }, body)
  return isRefusal(told) ? told : new Response(null, { status: 204 })
}

function problemOf(error: z.ZodError): string {
  const issue = error.issues[0]
  return `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'is not valid'}`
}

const session = (env: SubscriptionsEnv, project: string, sessionId: string) =>
  env.SESSION_DO.getByName(objectName(project, sessionId))

const streamPath = (project: string, sessionId: string): string => `/v1/${project}/stream/${sessionStreamId(sessionId)}`

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    // The schema says what was expected.
    return undefined
  }
}

const refusalResponse = ({ status, reason, headers }: Refusal): Response =>
  Response.json({ error: reason }, { status, headers })
