// Gives every request its id, its logger and its nonce, counts it, and writes one line when it is over. Neither bodies nor
// query strings are logged: both hold what people wrote, and sometimes tokens.
import { randomBytes, randomUUID } from 'node:crypto'
import type { RequestHandler } from 'express'
import { type RequestContext, setContext } from '#server/http/context.ts'
import type { Log } from '#server/telemetry/logger.ts'
import { type Metrics, routeOf } from '#server/telemetry/metrics.ts'
import { parseTraceparent } from '#shared/trace-context.ts'

const WELL_FORMED_ID = /^[A-Za-z0-9._-]{8,64}$/
/** Asked every few seconds by machines: a line each would bury the rest. */
const QUIET = new Set(['health', 'metrics'])

export function requestContext(log: Log, metrics: Metrics): RequestHandler {
  return (req, res, next) => {
    const given = req.get('x-request-id')
    const requestId = given && WELL_FORMED_ID.test(given) ? given : randomUUID()
    const trace = parseTraceparent(req.get('traceparent'))
    const context: RequestContext = {
      requestId,
      log: log.child(trace === null ? { requestId } : { requestId, traceId: trace.traceId }),
      nonce: randomBytes(16).toString('base64'),
    }
    setContext(res, context)
    res.setHeader('X-Request-Id', requestId)

    const startedAt = performance.now()
    // Taken now: routers below shorten req.url.
    const path = req.path
    const route = routeOf(path)
    metrics.requestStarted()
    res.once('close', () => {
      const ms = performance.now() - startedAt
      metrics.requestEnded(route, res.statusCode, ms / 1000)
      const line = { method: req.method, path: path.slice(0, 200), status: res.statusCode, ms: Math.round(ms) }
      if (res.statusCode >= 500) context.log.warn(line, 'request')
      else if (QUIET.has(route) || route === 'client') context.log.debug(line, 'request')
      else context.log.info(line, 'request')
    })
    next()
  }
}
