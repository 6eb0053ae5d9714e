// The subscription worker: publish and subscribe over HTTP, fan-out from the queue, and the sweeper.
import { systemClock } from '#shared/clock.ts'
import { corsHeaders, preflight } from '../lib/cors.ts'
import { failureResponse } from '../lib/failure.ts'
import { metricsResponse } from '../lib/metrics-route.ts'
import { type Authorize, projectJwtAuth } from '../lib/project-jwt-auth.ts'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import { cleanupExpiredSessions } from './cleanup.ts'
import type { FanoutQueueMessage } from './core/plan.ts'
import { parseSubscriptionRoute, type SubscriptionRoute } from './core/route.ts'
import type { SubscriptionsEnv } from './env.ts'
import { recordEvent } from './events.ts'
import { consumeFanout } from './fanout-consumer.ts'
import { handleSubscriptions } from './subscription-routes.ts'

const SAFE_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }

export type WorkerOptions = { authorize?: (env: SubscriptionsEnv) => Authorize }

export const createSubscriptionWorker = ({ authorize = projectJwtAuth }: WorkerOptions = {}) =>
  ({
    async fetch(request, env): Promise<Response> {
      const startedMs = systemClock.now()
      const origin = request.headers.get('Origin')
      if (request.method === 'OPTIONS') return preflight(env.EDGE_CORS_ORIGINS, origin)
      const { pathname } = new URL(request.url)
      if (pathname === '/metrics') return metricsResponse(request, env)
      const route = parseSubscriptionRoute(request.method, pathname)
      const response = await respond(request, route, env, authorize(env))
      const headers = new Headers(response.headers)
      for (const [name, value] of Object.entries({ ...SAFE_HEADERS, ...corsHeaders(env.EDGE_CORS_ORIGINS, origin) }))
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
  }) satisfies ExportedHandler<SubscriptionsEnv, FanoutQueueMessage>

async function respond(
  request: Request,
  route: SubscriptionRoute | null,
  env: SubscriptionsEnv,
  authorize: Authorize,
): Promise<Response> {
  if (route === null) return refusalResponse(refuse(404, 'nothing is here'))
  try {
    const result = await handleSubscriptions(request, route, env, authorize)
    return isRefusal(result) ? refusalResponse(result) : result
  } catch (error) {
    return failureResponse(error, route.action)
  }
}

const refusalResponse = ({ status, reason, headers }: Refusal): Response =>
  Response.json({ error: reason }, { status, headers })
