// A token of an actor, checked against its project's keys.
import { systemClock } from '#shared/clock.ts'
import { type AuthEnv, tokenPayload } from '../lib/project-jwt-auth.ts'
import { chooseActor, type HubClaims, hubClaimsSchema, livesTooLong, type Rights, rightsOf } from './core/rights.ts'

/** What a valid token says, or null. */
export async function hubClaims(env: AuthEnv, project: string, token: string): Promise<HubClaims | null> {
  const claims = hubClaimsSchema.safeParse(await tokenPayload(token, project, env)).data
  if (claims === undefined || claims.project !== project || livesTooLong(claims, systemClock.now())) return null
  return claims
}

/** The rights that a token gives this very actor, or null. */
export async function checkHubToken(
  env: AuthEnv,
  { project, actor, token }: { project: string; actor: string; token: string },
): Promise<Rights | null> {
  const claims = await hubClaims(env, project, token)
  return claims !== null && chooseActor(claims, actor).ok ? rightsOf(claims) : null
}
