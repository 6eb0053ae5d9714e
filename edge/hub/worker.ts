// The hub's Worker: who may, which shard, then hand over. What only the origin may do needs its write token; actors come in
// with a token of their own.
import { z } from 'zod'
import { systemClock } from '#shared/clock.ts'
import { firstProblem } from '#shared/first-problem.ts'
import { isAddressPattern, ORIGIN_ADDRESS } from '#shared/hub/address.ts'
import { contentSchema, idSchema } from '#shared/hub/message.ts'
import { capabilitySchema, REQUESTS, topicSchema } from '#shared/hub/protocol.ts'
import { SUBPROTOCOL, TOKEN_SUBPROTOCOL } from '#shared/hub/tuning.ts'
import { corsHeaders, preflight } from '../lib/cors.ts'
import { failureResponse } from '../lib/failure.ts'
import { metricsText } from '../lib/metrics.ts'
import { metricsRefusal, textResponse } from '../lib/metrics-route.ts'
import { projectJwtAuth } from '../lib/project-jwt-auth.ts'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import { readBodyUpTo } from '../streams/request-body.ts'
import { consumeBroadcasts } from './broadcast-consumer.ts'
import { orderOf } from './broadcasts.ts'
import type { BroadcastJob } from './core/broadcast.ts'
import { chooseActor, type Revocation, rightsOf } from './core/rights.ts'
import { isShardName, liveShards, ownerOf, type RingView, shardNames } from './core/ring.ts'
import { type HubRoute, parseHubRoute } from './core/route.ts'
import { MAX_EVENT_BYTES } from './core/tuning.ts'
import { discoverAcross } from './discover.ts'
import type { HubEnv } from './env.ts'
import { hubClaims } from './hub-token.ts'
import { metricsOfAll } from './project-metrics.ts'
import { projectView, ringOf } from './project-view.ts'
import { ENTRY_HEADER, type Entry, MOVED_HEADER } from './rpc.ts'
import { shardOf } from './shard.ts'

export { SignalHubDurableObject } from './hub-object.ts'
export { HubRingObject } from './ring-object.ts'

/** While rings change, an actor may be one or two shards further. */
const MAX_HOPS = 4

const actorPatterns = z.array(z.string().refine(isAddressPattern, 'must be an address, with * for any part')).max(100)
const publishSchema = z.object({
  seq: z.int().positive().optional(),
  id: idSchema.optional(),
  /** As for actors: what listeners get. */
  message: contentSchema,
  ttl: z.int().nonnegative().nullable().default(null),
  timestamp: z.int().nonnegative().optional(),
  /** Actors whose right to this topic ended before this event. */
  revoke: actorPatterns.default([]),
})
const revokeSchema = z.object({
  actors: actorPatterns.min(1),
  topic: topicSchema.optional(),
  /** Tokens from after this moment count again. */
  at: z.int().nonnegative().optional(),
})
const shardSchema = z.string().refine(isShardName, 'must be signal-hub-shard-N')
const ringSchema = z.object({
  /** How many, or which. */
  shards: z.union([z.int().min(1).max(100), z.array(shardSchema).min(1).max(100)]),
  /** Of the present ones, those that are given up. */
  failed: z.array(shardSchema).default([]),
})
const broadcastSchema = z.object({
  id: idSchema.optional(),
  message: contentSchema,
  targetCapability: capabilitySchema.optional(),
  ttl: z.int().nonnegative().nullable().default(null),
})

export default {
  async fetch(request, env): Promise<Response> {
    const origin = request.headers.get('Origin')
    if (request.method === 'OPTIONS') return preflight(env.EDGE_CORS_ORIGINS, origin)
    const { pathname } = new URL(request.url)
    if (pathname === '/metrics')
      return (await metricsRefusal(request, env)) ?? textResponse(metricsText() + (await metricsOfAll(env)))
    const route = parseHubRoute(request.method, pathname)
    const result = route === null ? refuse(404, 'nothing is here') : await answerOrFail(request, route, env)
    // A socket's answer is the platform's and cannot be copied.
    if (!isRefusal(result) && result.status === 101) return result
    const response = isRefusal(result) ? refusalResponse(result) : result
    const headers = new Headers(response.headers)
    const extra = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }
    for (const [name, value] of Object.entries({ ...extra, ...corsHeaders(env.EDGE_CORS_ORIGINS, origin) }))
      headers.set(name, value)
    return new Response(response.body, { status: response.status, headers })
  },

  async queue(batch, env): Promise<void> {
    await consumeBroadcasts(batch, env)
  },
} satisfies ExportedHandler<HubEnv, BroadcastJob>

async function answerOrFail(request: Request, route: HubRoute, env: HubEnv): Promise<Response | Refusal> {
  try {
    return await answer(request, route, env)
  } catch (error) {
    return failureResponse(error, `hub ${route.action}`)
  }
}

async function answer(request: Request, route: HubRoute, env: HubEnv): Promise<Response | Refusal> {
  const { project } = route
  if (route.action === 'connect') return connect(request, project, env)
  const access = await projectJwtAuth(env)(request, { project, right: 'write', stream: null })
  if (!access.granted) return refuse(access.status, access.reason)
  const view = await projectView(env, project)
  switch (route.action) {
    case 'publish':
      return publish(request, project, route.topic, view, env)
    case 'discover': {
      const wish = await readBody(request, REQUESTS['hub:discover'])
      return isRefusal(wish) ? wish : Response.json(await discoverAcross(env, { project, view }, wish))
    }
    case 'revoke':
      return revoke(request, project, view, env)
    case 'broadcast':
      return broadcast(request, project, view, env)
    case 'ring-status':
      return Response.json(await ringOf(env, project).status(project))
    case 'ring-change':
      return changeRing(request, project, env)
  }
}

async function connect(request: Request, project: string, env: HubEnv): Promise<Response | Refusal> {
  if (request.headers.get('Upgrade')?.toLowerCase() !== 'websocket')
    return refuse(426, 'this is a WebSocket', { Upgrade: 'websocket' })
  const offered = (request.headers.get('Sec-WebSocket-Protocol') ?? '').split(',').map((text) => text.trim())
  if (!offered.includes(SUBPROTOCOL)) return refuse(400, `the subprotocol ${SUBPROTOCOL} must be offered`)
  const token =
    offered.find((text) => text.startsWith(TOKEN_SUBPROTOCOL))?.slice(TOKEN_SUBPROTOCOL.length) ??
    /^Bearer (\S+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1]
  if (token === undefined) return refuse(401, 'a token is needed')
  const claims = await hubClaims(env, project, token)
  if (claims === null) return refuse(401, 'the token is not valid')
  const choice = chooseActor(claims, new URL(request.url).searchParams.get('actor'))
  if (!choice.ok) return refuse(choice.status, choice.reason)
  const view = await projectView(env, project)
  let shard = ownerOf(view, choice.actor)
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const entry: Entry = { call: { project, shard, view }, actor: choice.actor, rights: rightsOf(claims) }
    // Only what the shard needs: the token stays here.
    const headers = { Upgrade: 'websocket', [ENTRY_HEADER]: JSON.stringify(entry) }
    const answer = await shardOf(env, project, shard).fetch(new Request('https://hub/connect', { headers }))
    const elsewhere = answer.headers.get(MOVED_HEADER)
    if (elsewhere === null) return answer
    shard = elsewhere
  }
  return refuse(503, 'the hub is being rearranged', { 'Retry-After': '1' })
}

async function publish(
  request: Request,
  project: string,
  topic: string,
  view: RingView,
  env: HubEnv,
): Promise<Response | Refusal> {
  const wish = await readBody(request, publishSchema)
  if (isRefusal(wish)) return wish
  const now = systemClock.now()
  const { seq = null, message, ttl, timestamp = now } = wish
  const id = wish.id ?? (seq === null ? crypto.randomUUID() : `${topic}:${seq}`)
  const revocations = wish.revoke.map((actors): Revocation => ({ topic, actors, atMs: timestamp }))
  const shard = ownerOf(view, topic)
  const result = await shardOf(env, project, shard).publish({ project, shard, view }, topic, {
    ...{ seq, id, from: ORIGIN_ADDRESS, message, timestamp, ttl, revoke: revocations },
  })
  if (result.is === 'expired') return refuse(410, 'the event has expired')
  if (result.is === 'too_large') return refuse(413, 'the event is too large')
  return Response.json({ topic, seq: result.seq, duplicate: result.duplicate })
}

async function revoke(request: Request, project: string, view: RingView, env: HubEnv): Promise<Response | Refusal> {
  const wish = await readBody(request, revokeSchema)
  if (isRefusal(wish)) return wish
  const { topic = null, at: atMs = systemClock.now() } = wish
  const shards = topic === null ? liveShards(view) : [ownerOf(view, topic)]
  for (const actors of wish.actors)
    await Promise.all(
      shards.map((shard) => shardOf(env, project, shard).revoke({ project, shard, view }, { topic, actors, atMs })),
    )
  return new Response(null, { status: 204 })
}

async function broadcast(request: Request, project: string, view: RingView, env: HubEnv): Promise<Response | Refusal> {
  const wish = await readBody(request, broadcastSchema)
  if (isRefusal(wish)) return wish
  const now = systemClock.now()
  const { id = crypto.randomUUID(), message: content, targetCapability: capability = null, ttl } = wish
  const shard = ownerOf(view, id)
  const order = orderOf({ id, timestamp: now, ttl, metadata: {}, signature: null }, ORIGIN_ADDRESS, {
    ...{ content, capability, excludeSender: false, coordinator: shard, now },
  })
  const stub = shardOf(env, project, shard)
  const { delivered, queued, failed } = await stub.coordinateBroadcast({ project, shard, view }, order)
  return Response.json({ messageId: id, deliveredCount: delivered, queuedCount: queued, failedCount: failed })
}

async function changeRing(request: Request, project: string, env: HubEnv): Promise<Response | Refusal> {
  const wish = await readBody(request, ringSchema)
  if (isRefusal(wish)) return wish
  const shards = typeof wish.shards === 'number' ? shardNames(wish.shards) : wish.shards
  const started = await ringOf(env, project).change(project, { shards, failed: wish.failed })
  return started === null ? refuse(409, 'another change is under way') : Response.json(started, { status: 202 })
}

async function readBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema> | Refusal> {
  const body = await readBodyUpTo(request, MAX_EVENT_BYTES)
  if (isRefusal(body)) return body
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(body))
  } catch {
    return refuse(400, 'the body is not JSON')
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { field, message } = firstProblem(parsed.error, 'the body')
  return refuse(400, `${field}: ${message}`)
}

const refusalResponse = ({ status, reason, headers }: Refusal): Response =>
  Response.json({ error: reason }, { status, headers })
