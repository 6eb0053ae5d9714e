// One attempt: the origin is asked to do the work, with a token that only it accepts and that soon ends.
import { importJWK, type JWK, SignJWT } from 'jose'
import { systemClock } from '#shared/clock.ts'
import { projectKeys } from '../lib/project-jwt-auth.ts'
import { type Verdict, verdictOf } from './core/outcome.ts'
import { MAX_ERROR_CHARS } from './core/tuning.ts'
import type { JobsEnv } from './env.ts'
import type { Work } from './partition.ts'

const AUDIENCE = 'signal-feed-origin'
const TOKEN_SECONDS = 120
/** A token is used for so long, and then has still enough time for the request it travels with. */
const TOKEN_KEPT_MS = 60_000

const tokens = new Map<string, { untilMs: number; token: Promise<string | null> }>()

export async function callEgress(env: JobsEnv, project: string, work: Work, timeoutMs: number): Promise<Verdict> {
  const { id, type, attempt, payload, idempotencyKey, token: leaseToken, leaseUntil } = work
  if (!env.EGRESS_URL) return { is: 'egress-down', error: 'EGRESS_URL is not set' }
  try {
    const token = await egressToken(env, project)
    const envelope = JSON.stringify({ jobId: id, type, attempt, idempotencyKey, leaseToken, leaseUntil })
    const answer = await fetch(env.EGRESS_URL, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
      // The payload is JSON already.
      body: `${envelope.slice(0, -1)},"payload":${payload}}`,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    // What is no JSON is no outcome either, and is judged as such below.
    const body: unknown = await answer.json().catch(() => null)
    return verdictOf(answer.status, body)
  } catch (error) {
    return { is: 'egress-down', error: String(error).slice(0, MAX_ERROR_CHARS) }
  }
}

function egressToken(env: JobsEnv, project: string): Promise<string | null> {
  const now = systemClock.now()
  const known = tokens.get(project)
  if (known !== undefined && now < known.untilMs) return known.token
  const token = signed(env, project, now)
  tokens.set(project, { untilMs: now + TOKEN_KEPT_MS, token })
  // A failure is not kept for a minute.
  token.catch(() => tokens.delete(project))
  return token
}

/** With the first key of the project that can sign; null: it has none. */
async function signed(env: JobsEnv, project: string, nowMs: number): Promise<string | null> {
  const key = (await projectKeys(project, env)).find(({ alg }) => alg === 'HS256')
  if (key === undefined) return null
  return new SignJWT({ project, scope: 'egress' })
    .setProtectedHeader({ alg: key.alg, kid: key.kid })
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime(Math.floor(nowMs / 1_000) + TOKEN_SECONDS)
    .sign(await importJWK(key as JWK, key.alg))
}
