// Publish, subscribe and sessions over HTTP: reads what a request says, asks the object, and writes its answer.
import { z } from 'zod'
import type { Authorize } from '../lib/project-jwt-auth.ts'
import { formatOffset } from '../streams/core/offset.ts'
import { parseStamp } from '../streams/core/producer.ts'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import { objectName } from '../streams/core/route.ts'
import { MAX_BODY_BYTES } from '../streams/core/tuning.ts'
import { readBodyUpTo } from '../streams/request-body.ts'
import { MAX_STREAMS_PER_REQUEST, MAX_STREAMS_PER_SESSION } from './constants.ts'
import {
  isSessionId,
  isSourceId,
  type SubscriptionRoute,
  sessionStreamId,
  subscriptionObjectName,
} from './core/route.ts'
import type { SubscriptionsEnv } from './env.ts'
import type { Published } from './rpc.ts'

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

export async function handleSubscriptions(
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
  return publishedResponse(
    await env.SUBSCRIPTION_DO.getByName(subscriptionObjectName(project, id)).publish({ project, id }, wish),
  )
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
    await object.unsubscribe({ project, sessionId }, streamIds)
    return new Response(null, { status: 204 })
  }
  const done = await object.subscribe({ project, sessionId }, streamIds)
  if (isRefusal(done)) return done
  const { expiresAt, isNewSession, startOffset, isDirect } = done
  return Response.json({
    ...{ sessionId, streamId, sessionStreamPath: streamPath(project, sessionId), expiresAt, isNewSession },
    ...(startOffset === null ? {} : { startOffset: formatOffset(startOffset) }),
    ...(isDirect ? { isDirect } : {}),
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
