// The streams Worker: who may, then what. Answers every request with the headers that keep browsers from guessing.
import { z } from 'zod'
import { systemClock } from '#shared/clock.ts'
import { corsHeaders, preflight } from '../lib/cors.ts'
import { failureResponse } from '../lib/failure.ts'
import { metricsResponse } from '../lib/metrics-route.ts'
import { type Authorize, projectJwtAuth } from '../lib/project-jwt-auth.ts'
import { noteBeat } from './beat.ts'
import { controlRight, handleControl } from './control-routes.ts'
import { isRefusal, type Refusal, refuse } from './core/refusal.ts'
import { isSessionStream, parseBeatProject, parseRoute } from './core/route.ts'
import type { StreamsEnv } from './env.ts'
import { recordRequest } from './figures.ts'
import { handleStream } from './stream-routes.ts'

const beatSchema = z.object({ beatAgeMs: z.number().min(0) })
const SAFE_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Resource-Policy': 'cross-origin' }

export type WorkerOptions = { authorize?: (env: StreamsEnv) => Authorize }

export const createStreamsWorker = ({ authorize = projectJwtAuth }: WorkerOptions = {}) =>
  ({
    async fetch(request, env, ctx): Promise<Response> {
      const origin = request.headers.get('Origin')
      if (request.method === 'OPTIONS') return preflight(env.EDGE_CORS_ORIGINS, origin)
      if (new URL(request.url).pathname === '/metrics') return metricsResponse(request, env)
      const startedMs = systemClock.now()
      const response = await respond(() => answer(request, env, ctx, authorize(env)))
      recordRequest(request, response, systemClock.now() - startedMs)
      const headers = new Headers(response.headers)
      for (const [name, value] of Object.entries({ ...SAFE_HEADERS, ...corsHeaders(env.EDGE_CORS_ORIGINS, origin) }))
        headers.set(name, value)
      return new Response(response.body, { status: response.status, headers })
    },
  }) satisfies ExportedHandler<StreamsEnv>

async function respond(work: () => Promise<Response | Refusal>): Promise<Response> {
  try {
    const result = await work()
    return isRefusal(result) ? refusalResponse(result) : result
  } catch (error) {
    return failureResponse(error, 'streams')
  }
}

async function answer(
  request: Request,
  env: StreamsEnv,
  ctx: ExecutionContext,
  authorize: Authorize,
): Promise<Response | Refusal> {
  const { pathname } = new URL(request.url)
  if (pathname === '/health') return Response.json({ ok: true }, { headers: { 'Cache-Control': 'no-store' } })
  const beaten = parseBeatProject(pathname)
  if (beaten !== null) return takeBeat(request, beaten, env, authorize)
  const route = parseRoute(pathname)
  if (route === null) return refuse(pathname.startsWith('/v1/') ? 400 : 404, 'this path names no stream')
  const { project } = route
  if (route.kind === 'control') {
    const right = controlRight(route, request.method)
    if (right === 'write') {
      const access = await authorize(request, { project, right, stream: null })
      if (!access.granted) return refuse(access.status, access.reason)
    }
    return handleControl(request, route, env)
  }
  const right = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write'
  const access = await authorize(request, { project, right, stream: route.id })
  if (!access.granted) return refuse(access.status, access.reason)
  if (right === 'write' && isSessionStream(route.id))
    return refuse(403, 'session streams are written by the subscription worker only')
  return handleStream({ request, route, env, ctx, endsAtMs: access.expiresAtMs })
}

async function takeBeat(
  request: Request,
  project: string,
  env: StreamsEnv,
  authorize: Authorize,
): Promise<Response | Refusal> {
  const access = await authorize(request, { project, right: 'write', stream: null })
  if (!access.granted) return refuse(access.status, access.reason)
  if (request.method !== 'POST') return refuse(405, 'a beat is posted', { Allow: 'POST' })
  // What is no JSON is refused like any other body that is no beat.
  const beat = beatSchema.safeParse(await request.json().catch(() => null))
  if (!beat.success) return refuse(400, 'beatAgeMs must be a number of milliseconds')
  await noteBeat(env, project, beat.data.beatAgeMs)
  return new Response(null, { status: 204 })
}

const refusalResponse = ({ status, reason, headers }: Refusal): Response =>
  Response.json({ error: reason }, { status, headers: { 'Cache-Control': 'no-store', ...headers } })
