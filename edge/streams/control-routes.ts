// The protocol's own paths below a stream root: `__ds/jwks.json` and `__ds/subscriptions/…` (§6, §7). Reads requests,
// asks the project's directory, and puts its answers into HTTP.
import type { z } from 'zod'
import { isRefusal } from './core/refusal.ts'
import type { ControlRoute } from './core/route.ts'
import { ackSchema, claimSchema, ID, pathsSchema, readConfig } from './core/subscription.ts'
import type { StreamsEnv } from './env.ts'
import type { ControlError, SubscriptionView } from './rpc.ts'

const MAX_CONTROL_BYTES = 256 * 1024

/** Which right a request needs; `own` brings a wake's token that the directory checks. */
export function controlRight({ rest }: ControlRoute, method: string): 'open' | 'own' | 'write' {
  if (rest[0] === 'jwks.json' && method === 'GET') return 'open'
  return ['callback', 'ack', 'release'].includes(rest[2] ?? '') ? 'own' : 'write'
}

export async function handleControl(request: Request, route: ControlRoute, env: StreamsEnv): Promise<Response> {
  const [area, id = '', action, ...more] = route.rest
  const directory = env.DIRECTORY_DO.getByName(route.project)
  const root = `${new URL(request.url).origin}${route.root}`
  if (area === 'jwks.json' && request.method === 'GET')
    return Response.json(
      { keys: [await directory.publicKey()] },
      { headers: { 'Content-Type': 'application/jwk-set+json', 'Cache-Control': 'public, max-age=300' } },
    )
  if (area !== 'subscriptions' || !ID.test(id)) return failure({ code: 'NOT_FOUND', status: 404 })
  const token = request.headers.get('Authorization')?.replace(/^Bearer /i, '') ?? ''
  const input = request.method === 'POST' || request.method === 'PUT' ? await readJson(request) : null

  switch (`${request.method} ${action ?? ''}`) {
    case 'PUT ': {
      const config = readConfig(input, env.EDGE_LOCAL_WEBHOOKS === 'on')
      if (isRefusal(config))
        return failure({ code: config.headers.code ?? 'INVALID_REQUEST', status: config.status }, config.reason)
      const made = await directory.subscribe(route.project, id, config, root)
      return 'code' in made ? failure(made) : Response.json(describe(made, root), { status: made.created ? 201 : 200 })
    }
    case 'GET ': {
      const view = await directory.subscription(id)
      return view === null ? failure({ code: 'NOT_FOUND', status: 404 }) : Response.json(describe(view, root))
    }
    case 'DELETE ':
      await directory.unsubscribe(id)
      return new Response(null, { status: 204 })
    case 'POST streams':
      return withInput(pathsSchema, input, async ({ streams }) => answer(await directory.addStreams(id, streams)))
    case 'DELETE streams':
      return answer(await directory.removeStream(id, more.join('/')))
    case 'POST claim':
      return withInput(claimSchema, input, async ({ worker }) => answer(await directory.claim(id, worker)))
    case 'POST callback':
    case 'POST ack':
      return withInput(ackSchema, input, async ({ wake_id: wakeId, generation, acks, done }) =>
        answer(await directory.settle(id, token, { wakeId, generation, acks, done })),
      )
    case 'POST release':
      return withInput(ackSchema, input, async ({ wake_id, generation }) =>
        answer(await directory.release(id, token, wake_id, generation)),
      )
    default:
      return failure({ code: 'METHOD_NOT_ALLOWED', status: 405 })
  }
}

function describe({ subscription, links, key }: SubscriptionView, root: string): Record<string, unknown> {
  const { id, config, wake, createdMs } = subscription
  const signing = { alg: 'ed25519', kid: key.kid, jwks_url: `${root}/__ds/jwks.json` }
  return {
    id,
    subscription_id: id,
    type: config.type,
    pattern: config.pattern,
    streams: links,
    webhook: config.webhookUrl === null ? null : { url: config.webhookUrl, signing },
    wake_stream: config.wakeStream,
    lease_ttl_ms: config.leaseMs,
    created_at: new Date(createdMs).toISOString(),
    status: wake.phase === 'idle' && wake.retryAtMs !== null ? 'failed' : 'active',
    description: config.description,
  }
}

async function withInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  act: (value: z.output<Schema>) => Promise<Response>,
): Promise<Response> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return act(parsed.data)
  const issue = parsed.error.issues[0]
  return failure({ code: 'INVALID_REQUEST', status: 400 }, `${issue?.path.join('.') || 'the body'}: ${issue?.message}`)
}

const answer = (result: object | null): Response =>
  result === null
    ? new Response(null, { status: 204 })
    : 'code' in result
      ? failure(result as ControlError)
      : Response.json(result)

function failure({ status, ...error }: ControlError, message?: string): Response {
  return Response.json({ error: message === undefined ? error : { ...error, message } }, { status })
}

/** Undefined for what is too long or no JSON; the schemas refuse it. */
async function readJson(request: Request): Promise<unknown> {
  if (Number(request.headers.get('Content-Length') ?? 0) > MAX_CONTROL_BYTES) return undefined
  try {
    return JSON.parse(await request.text())
  } catch {
    return undefined
  }
}
