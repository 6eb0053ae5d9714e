// The one door of the edge: looks at the path and hands the request to the Worker behind it. Decides nothing else; each
// Worker checks tokens itself. The figures of all of them are answered here together, as one target to scrape.
import { type MetricsEnv, metricsRefusal, textResponse } from '../lib/metrics-route.ts'

export type GatewayEnv = MetricsEnv & { STREAMS: Fetcher; SUBSCRIPTIONS: Fetcher; HUB: Fetcher; JOBS: Fetcher }

/** What follows `/v1/<project>/` at the other Workers; everything else is about streams. */
const SUBSCRIPTION_PATH = /^\/v1\/(?!stream\/)[^/]+\/(subscribe|unsubscribe|publish|session)(\/|$)/
const HUB_PATH = /^\/v1\/(?!stream\/)[^/]+\/hub\//
const JOBS_PATH = /^\/v1\/(?!stream\/)[^/]+\/jobs(\/|$)/

export default {
  async fetch(request, env): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname === '/metrics') return (await metricsRefusal(request, env)) ?? gatherMetrics(request, env)
    if (HUB_PATH.test(pathname)) return env.HUB.fetch(request)
    if (JOBS_PATH.test(pathname)) return env.JOBS.fetch(request)
    return (SUBSCRIPTION_PATH.test(pathname) ? env.SUBSCRIPTIONS : env.STREAMS).fetch(request)
  },
} satisfies ExportedHandler<GatewayEnv>

/** One after the other of the bound Workers; one that fails is said to be down, and hides none of the others. */
async function gatherMetrics(request: Request, env: GatewayEnv): Promise<Response> {
  const workers = Object.entries(env).filter((bound): bound is [string, Fetcher] => typeof bound[1] === 'object')
  const parts = await Promise.all(
    workers.map(async ([name, worker]) => {
      const text = await worker
        .fetch(request.url, { headers: request.headers })
        .then((answer) => (answer.ok ? answer.text() : null))
        // Its absence is what the gauge says.
        .catch(() => null)
      return { up: `edge_worker_up{worker="${name.toLowerCase()}"} ${text === null ? 0 : 1}\n`, text: text ?? '' }
    }),
  )
  const up = parts.map((part) => part.up).join('')
  const head = '# HELP edge_worker_up Whether the Worker behind the gateway answered.\n# TYPE edge_worker_up gauge\n'
  return textResponse(head + up + parts.map((part) => part.text).join(''))
}
