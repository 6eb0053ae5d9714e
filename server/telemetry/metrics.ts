// The process's registry and the HTTP metrics. Labels come from short closed lists and every child exists from the
// start, so that a rate over "no errors yet" is zero and not missing. Other rooms register theirs on `registry`.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export const ROUTES = ['trpc', 'auth', 'events', 'ingest', 'health', 'metrics', 'client', 'api-other'] as const
export type Route = (typeof ROUTES)[number]

const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const
type StatusClass = (typeof STATUS_CLASSES)[number]

/** Finite bounds on both sides of what people notice (0.1 s) and of our delivery goal (0.5 s). */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Metrics = {
  registry: Registry
  requestStarted: () => void
  requestEnded: (route: Route, status: number, seconds: number) => void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  // These end in _total without being counters, which Prometheus' own check refuses; the per-type ones say more.
  for (const name of ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'])
    registry.removeSingleMetric(name)

  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route group and class of status.',
    labelNames: ['route', 'status'] as const,
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer, by route group; streams are left out.',
    labelNames: ['route'] as const,
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  const running = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests being answered now, open streams included.',
    registers: [registry],
  })
  for (const route of ROUTES) {
    duration.zero({ route })
    for (const status of STATUS_CLASSES) requests.inc({ route, status }, 0)
  }

  return {
    registry,
    requestStarted: () => running.inc(),
    requestEnded: (route, status, seconds) => {
      running.dec()
      requests.inc({ route, status: statusClass(status) })
      // An open stream lasts for hours and would make every percentile meaningless.
      if (route !== 'events') duration.observe({ route }, seconds)
    },
  }
}

const statusClass = (status: number): StatusClass =>
  status >= 500 ? '5xx' : status >= 400 ? '4xx' : status >= 300 ? '3xx' : '2xx'

/** Which group a path belongs to. Never the path itself: ids and typing errors would grow the label without end. */
export function routeOf(path: string): Route {
  if (path.startsWith('/api/trpc')) return 'trpc'
  if (path.startsWith('/api/auth')) return 'auth'
  if (path.startsWith('/api/events')) return 'events'
  if (path.startsWith('/api/ingest')) return 'ingest'
  if (path === '/healthz' || path === '/readyz') return 'health'
  if (path === '/metrics') return 'metrics'
  return path.startsWith('/api') ? 'api-other' : 'client'
}
