// GET /metrics of a Worker. Figures tell how a product is used, so they are for whoever has the token; without one they
// are answered only where a project is open to everybody anyway, on a developer's machine.
import { metricsText } from './metrics.ts'

export type MetricsEnv = { METRICS_TOKEN?: string; EDGE_OPEN_PROJECT?: string }

const NO_STORE = { 'Cache-Control': 'no-store' }

/** Null: go on; otherwise the answer. */
export async function metricsRefusal(request: Request, env: MetricsEnv): Promise<Response | null> {
  const open = !env.METRICS_TOKEN && Boolean(env.EDGE_OPEN_PROJECT)
  if (open) return null
  const given = /^Bearer (.+)$/.exec(request.headers.get('Authorization') ?? '')?.[1]
  if (env.METRICS_TOKEN && given !== undefined && (await isSame(given, env.METRICS_TOKEN))) return null
  return Response.json({ error: 'figures need the metrics token' }, { status: 401, headers: NO_STORE })
}

export async function metricsResponse(request: Request, env: MetricsEnv): Promise<Response> {
  return (await metricsRefusal(request, env)) ?? textResponse(metricsText())
}

export const textResponse = (text: string): Response =>
  new Response(text, { headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', ...NO_STORE } })

/** By their digests, whose comparison tells nothing about the texts however long it takes. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map((text) => crypto.subtle.digest('SHA-256', encoder.encode(text))))
  const bytes = new Uint8Array(other!)
  return new Uint8Array(one!).every((byte, at) => byte === bytes[at])
}

const encoder = new TextEncoder()
