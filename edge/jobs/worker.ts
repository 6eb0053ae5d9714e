// The jobs Worker: takes jobs in over HTTP and from the queue, and answers what operators ask. All of it is the origin
// server's: every call needs its token.
import { corsHeaders, preflight } from '../lib/cors.ts'
import { metricsRefusal, textResponse } from '../lib/metrics-route.ts'
import { projectJwtAuth } from '../lib/project-jwt-auth.ts'
import { isRefusal, type Refusal, refuse } from '../streams/core/refusal.ts'
import { statusOf } from './core/answer.ts'
import { configSchema } from './core/config.ts'
import { jobsSchema } from './core/job.ts'
import { parseLeaseToken } from './core/lease.ts'
import { jobsMetricsText } from './core/metrics-text.ts'
import { toVerdict } from './core/outcome.ts'
import { type JobsRoute, parseJobsRoute } from './core/route.ts'
import { listDead, ofDead } from './dead-letters.ts'
import { controlOf, type JobsEnv, type JobsMessage, partitionOf } from './env.ts'
import { consumeJobs } from './queue-consumer.ts'
import { checked, completeSchema, deadSchema, drainSchema, pageSchema, readJson, renewSchema } from './requests.ts'
import { ConcurrencyRouter } from './router.ts'

export { JobControl } from './control-object.ts'
export { JobPartition } from './partition-object.ts'

const LEASE_LOST = refuse(409, 'this lease is no longer yours')

export default {
  async fetch(request, env): Promise<Response> {
    const origin = request.headers.get('Origin')
    if (request.method === 'OPTIONS') return preflight(env.EDGE_CORS_ORIGINS, origin)
    const url = new URL(request.url)
    if (url.pathname === '/metrics') return (await metricsRefusal(request, env)) ?? metrics(env)
    const route = parseJobsRoute(request.method, url.pathname)
    const result = route === null ? refuse(404, 'nothing is here') : await answer(request, url, route, env)
    const response = isRefusal(result) ? refusalResponse(result) : result
    const headers = new Headers(response.headers)
    const extra = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' }
    for (const [name, value] of Object.entries({ ...extra, ...corsHeaders(env.EDGE_CORS_ORIGINS, origin) }))
      headers.set(name, value)
    return new Response(response.body, { status: response.status, headers })
  },

  async queue(batch, env): Promise<void> {
    await consumeJobs(batch, env)
  },
} satisfies ExportedHandler<JobsEnv, JobsMessage>

async function answer(request: Request, url: URL, route: JobsRoute, env: JobsEnv): Promise<Response | Refusal> {
  const { project, action } = route
  const access = await projectJwtAuth(env)(request, { project, right: 'write', stream: null })
  if (!access.granted) return refuse(access.status, access.reason)
  const router = new ConcurrencyRouter(env, project)

  switch (action) {
    case 'hand-in': {
      const jobs = await readJson(request, jobsSchema)
      if (isRefusal(jobs)) return jobs
      const result = await router.dispatch(jobs)
      const wait = result.backpressure
      const headers: Record<string, string> =
        wait === null ? {} : { 'Retry-After': String(Math.ceil(wait.retryAfterMs / 1_000)) }
      return Response.json(result, { status: statusOf(result), headers })
    }
    case 'status':
      return Response.json(await router.status())
    case 'get-config': {
      const { plan, granted, settled } = await router.view()
      return Response.json({ version: plan.version, config: plan.config, slots: granted, settled })
    }
    case 'put-config': {
      const config = await readJson(request, configSchema)
      if (isRefusal(config)) return config
      const { plan, granted, settled } = await controlOf(env, project).configure(project, config)
      return Response.json({ version: plan.version, config: plan.config, slots: granted, settled })
    }
    case 'rebalance':
      return Response.json({ moved: await controlOf(env, project).rebalance(project, true) })
    case 'drain': {
      const wish = await readJson(request, drainSchema)
      if (isRefusal(wish)) return wish
      const { everUsed } = await router.view()
      const all = Array.from({ length: everUsed }, (_, index) => index)
      const chosen = wish.partition === undefined ? all : all.filter((index) => index === wish.partition)
      const drained = await Promise.all(chosen.map((index) => partitionOf(env, project, index).drain()))
      return Response.json({ drained: drained.reduce((sum, count) => sum + count, 0) })
    }
    case 'complete': {
      const body = await readJson(request, completeSchema)
      if (isRefusal(body)) return body
      const lease = parseLeaseToken(body.token)
      const settled =
        lease !== null && (await partitionOf(env, project, lease.partition).settle(body.token, toVerdict(body)))
      return settled ? new Response(null, { status: 204 }) : LEASE_LOST
    }
    case 'renew': {
      const body = await readJson(request, renewSchema)
      if (isRefusal(body)) return body
      const lease = parseLeaseToken(body.token)
      const leaseUntil = lease === null ? null : await partitionOf(env, project, lease.partition).renew(body.token)
      return leaseUntil === null ? LEASE_LOST : Response.json({ leaseUntil })
    }
    case 'list-dead': {
      const page = checked(pageSchema, Object.fromEntries(url.searchParams))
      if (isRefusal(page)) return page
      return Response.json(await listDead(env, project, (await router.view()).everUsed, page))
    }
    case 'replay-dead':
    case 'discard-dead': {
      const wish = await readJson(request, deadSchema)
      if (isRefusal(wish)) return wish
      const { everUsed } = await router.view()
      const ids = 'ids' in wish ? wish.ids : null
      const verb = action === 'replay-dead' ? 'replay' : 'discard'
      const count = await ofDead(env, project, everUsed, (partition) => partition[verb](ids))
      return Response.json(verb === 'replay' ? { replayed: count } : { discarded: count })
    }
  }
}

async function metrics(env: JobsEnv): Promise<Response> {
  const { keys } = await env.REGISTRY.list({ prefix: 'jobs:' })
  const projects = await Promise.all(
    keys.map(async ({ name }) => {
      const project = name.slice('jobs:'.length)
      return { project, ...(await new ConcurrencyRouter(env, project).freshStatus()) }
    }),
  )
  return textResponse(jobsMetricsText(projects))
}

const refusalResponse = ({ status, reason, headers }: Refusal): Response =>
  Response.json({ error: reason }, { status, headers })
