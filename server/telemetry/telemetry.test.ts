import { describe, expect, it } from 'vitest'
import { createLogger, describeError, roomLog } from './logger.ts'
import { createMetrics, ROUTES, routeOf } from './metrics.ts'

function capture(mode: 'development' | 'production') {
  const lines: string[] = []
  const log = createLogger({ mode, logLevel: 'info' }, { write: (line) => lines.push(line) })
  return { log, lines }
}

describe('logger', () => {
  it('[FEED-9] writes one JSON line with its room and hides secrets', () => {
    const { log, lines } = capture('production')
    roomLog(log, 'http').warn(
      { headers: { cookie: 'session=abc', authorization: 'Bearer x' }, password: 'p' },
      'refused',
    )
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', room: 'http', msg: 'refused' })
    expect(lines[0]).not.toMatch(/abc|Bearer|"p"/)
  })

  it('keeps text from outside on one line in development', () => {
    const { log, lines } = capture('development')
    log.info({ path: '/a\n\x1b[31mred' }, 'request')
    expect(lines).toHaveLength(1)
    expect(lines[0]!.trimEnd()).not.toContain('\n')
    expect(lines[0]).not.toContain('\x1b[31mred')
  })

  it('[FEED-9] keeps neither parameters of a failed query nor values that Postgres quotes', () => {
    const cause = Object.assign(new Error('duplicate key value violates unique constraint "users_email"'), {
      code: '23505',
      detail: 'Key (email)=(ada@example.org) already exists.',
    })
    const failed = Object.assign(new Error('Failed query: insert … params: ada@example.org,$hash$', { cause }), {
      query: 'insert into users values ($1, $2)',
      params: ['ada@example.org', '$hash$'],
    })
    const described = describeError(failed)
    expect(JSON.stringify(described)).not.toMatch(/ada@example|\$hash\$/)
    expect(described.cause?.code).toBe('23505')
    expect(described.message).toContain('insert into users')
  })
})

describe('metrics', () => {
  it('has every child at zero from the start, and nothing that Prometheus would refuse', async () => {
    const text = await createMetrics().registry.metrics()
    for (const route of ROUTES) {
      expect(text).toContain(`http_requests_total{route="${route}",status="5xx"} 0`)
      expect(text).toContain(`http_request_duration_seconds_count{route="${route}"} 0`)
    }
    expect(text).not.toContain('nodejs_active_handles_total')
  })

  it('counts by route group and leaves streams out of the durations', async () => {
    const metrics = createMetrics()
    metrics.requestStarted()
    metrics.requestEnded('trpc', 404, 0.2)
    metrics.requestStarted()
    metrics.requestEnded('events', 200, 4_000)
    const text = await metrics.registry.metrics()
    expect(text).toContain('http_requests_total{route="trpc",status="4xx"} 1')
    expect(text).toContain('http_request_duration_seconds_count{route="trpc"} 1')
    expect(text).toContain('http_requests_total{route="events",status="2xx"} 1')
    expect(text).toContain('http_request_duration_seconds_count{route="events"} 0')
    expect(text).toContain('http_requests_in_flight 0')
  })

  it.each([
    ['/api/trpc/activities.get', 'trpc'],
    ['/api/ingest/github/0123', 'ingest'],
    ['/api/auth/sign-in/email', 'auth'],
    ['/api/events/activities', 'events'],
    ['/api/nothing/123', 'api-other'],
    ['/readyz', 'health'],
    ['/t/project/apollo', 'client'],
  ])('puts %s into %s', (path, route) => {
    expect(routeOf(path)).toBe(route)
  })
})
