// Checks a request's token against its project's keys: HS256 or EdDSA, chosen by `kid`, so that keys can be changed
// without a gap. Keys are in the registry; they are looked up again after a minute, so a withdrawn key ends by then.
import { decodeProtectedHeader, importJWK, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { z } from 'zod'
import { systemClock } from '#shared/clock.ts'
import { type Access, CLOCK_LEEWAY_SECONDS, claimsSchema, denied, judgeAccess, type Wanted } from './access.ts'

export type Authorize = (request: Request, wanted: Wanted) => Promise<Access>

export type AuthEnv = {
  REGISTRY: KVNamespace
  EDGE_OPEN_PROJECT?: string
  EDGE_PROJECT_KEYS?: string
}

const KEPT_MS = 60_000
const ALGORITHMS = ['HS256', 'EdDSA']
const AUDIENCE = 'signal-feed-edge'

const keySchema = z.looseObject({
  kid: z.string().min(1),
  alg: z.enum(['HS256', 'EdDSA']),
  kty: z.enum(['oct', 'OKP']),
})
const keysSchema = z.object({ keys: z.array(keySchema) })
export type ProjectKey = z.infer<typeof keySchema>

const known = new Map<string, { untilMs: number; keys: ProjectKey[] }>()

export function projectJwtAuth(env: AuthEnv): Authorize {
  return async (request, wanted) => {
    if (env.EDGE_OPEN_PROJECT !== undefined && env.EDGE_OPEN_PROJECT === wanted.project)
      return { granted: true, expiresAtMs: null }
    const token = /^Bearer (\S+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1]
    if (token === undefined) return denied(401, 'a token is needed')
    const claims = claimsSchema.safeParse(await tokenPayload(token, wanted.project, env)).data
    return claims === undefined ? denied(401, 'the token is not valid') : judgeAccess(claims, wanted, systemClock.now())
  }
}

/** What a token says when one of the project's keys signed it, it is meant for us and has not ended; null otherwise. */
export async function tokenPayload(token: string, project: string, env: AuthEnv): Promise<JWTPayload | null> {
  const keys = await projectKeys(project, env)
  try {
    const { kid } = decodeProtectedHeader(token)
    const key = keys.find((candidate) => candidate.kid === kid)
    if (key === undefined) return null
    const rules = { algorithms: [key.alg], audience: AUDIENCE, clockTolerance: CLOCK_LEEWAY_SECONDS }
    const { payload } = await jwtVerify(token, await importJWK(key as JWK, key.alg), rules)
    return payload
  } catch {
    // Forged, expired or garbled: the caller learns only that it is not valid.
    return null
  }
}

/** Those that count at present. */
export async function projectKeys(project: string, env: AuthEnv): Promise<ProjectKey[]> {
  const now = systemClock.now()
  const remembered = known.get(project)
  if (remembered !== undefined && now < remembered.untilMs) return remembered.keys
  const stored = await env.REGISTRY.get(`project:${project}`, 'json')
  const keys = keysSchema.safeParse(stored ?? givenKeys(env)[project]).data?.keys ?? []
  const usable = keys.filter(({ alg, kty }) => ALGORITHMS.includes(alg) && (alg === 'HS256') === (kty === 'oct'))
  known.set(project, { untilMs: now + KEPT_MS, keys: usable })
  return usable
}

function givenKeys({ EDGE_PROJECT_KEYS }: AuthEnv): Record<string, unknown> {
  if (!EDGE_PROJECT_KEYS) return {}
  return z.record(z.string(), z.unknown()).parse(JSON.parse(EDGE_PROJECT_KEYS))
}

/** Projects that somebody could have a token for. */
export async function projectsWithKeys(env: AuthEnv): Promise<string[]> {
  const { keys } = await env.REGISTRY.list({ prefix: 'project:' })
  return [...new Set([...Object.keys(givenKeys(env)), ...keys.map(({ name }) => name.slice('project:'.length))])]
}
