// What a token lets an actor do, as pure rules.
import { z } from 'zod'
import { isActorAddress, isAddressPattern, isTopicPattern } from '#shared/hub/address.ts'
import { capabilitySchema } from '#shared/hub/protocol.ts'
import { CLOCK_LEEWAY_SECONDS, MAX_READ_TOKEN_SECONDS } from '../../lib/access.ts'
import { matchesGlob } from '../../streams/core/glob.ts'

const topicList = z.array(z.string().refine(isTopicPattern)).max(5_000).default([])

export const hubClaimsSchema = z.object({
  project: z.string(),
  scope: z.literal('hub'),
  /** The one address, or a pattern with `*` for whoever chooses the rest of the name itself. */
  actor: z.string().refine(isAddressPattern).optional(),
  capabilities: z.array(capabilitySchema).max(64).default([]),
  /** May be subscribed to. */
  topics: topicList,
  /** May be published to. */
  publish: topicList,
  broadcast: z.boolean().default(false),
  iat: z.number(),
  exp: z.number(),
})
export type HubClaims = z.infer<typeof hubClaimsSchema>

/** What is remembered of a token for as long as its connection lives. */
export type Rights = Pick<HubClaims, 'capabilities' | 'topics' | 'publish' | 'broadcast'> & {
  issuedAtMs: number
  expiresAtMs: number
}

export const rightsOf = ({ capabilities, topics, publish, broadcast, iat, exp }: HubClaims): Rights => ({
  ...{ capabilities, topics, publish, broadcast },
  ...{ issuedAtMs: iat * 1_000, expiresAtMs: exp * 1_000 },
})

export type ActorChoice = { ok: true; actor: string } | { ok: false; status: 400 | 403; reason: string }

/** Whom the token lets this connection be. `wished` comes from the address line. */
export function chooseActor({ actor }: HubClaims, wished: string | null): ActorChoice {
  const exact = actor !== undefined && !actor.includes('*') ? actor : null
  const chosen = wished ?? exact
  if (chosen === null) return { ok: false, status: 400, reason: 'neither the token nor the query names an actor' }
  if (!isActorAddress(chosen)) return { ok: false, status: 400, reason: 'this is not an actor’s address' }
  if (actor !== undefined && matchesGlob(actor, chosen)) return { ok: true, actor: chosen }
  return { ok: false, status: 403, reason: 'the token is for another actor' }
}

export const livesTooLong = ({ exp }: HubClaims, nowMs: number): boolean =>
  exp * 1_000 > nowMs + (MAX_READ_TOKEN_SECONDS + CLOCK_LEEWAY_SECONDS) * 1_000

export const covers = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => pattern === name || (pattern.includes('*') && matchesGlob(pattern, name)))

/** A right that was taken back at a moment; null topic: everything of these actors. */
export type Revocation = { topic: string | null; actors: string; atMs: number }

/** Whether a right that a token of `issuedAtMs` gave has been taken back since. In doubt, it has. */
export const isRevoked = (
  revocations: readonly Revocation[],
  { actor, topic, issuedAtMs }: { actor: string; topic: string | null; issuedAtMs: number },
): boolean =>
  revocations.some(
    (revocation) =>
      (revocation.topic === null || revocation.topic === topic) &&
      issuedAtMs <= revocation.atMs &&
      matchesGlob(revocation.actors, actor),
  )
