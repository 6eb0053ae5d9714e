// Decides whether a PUT on a stream that exists means the same stream. Creating is "make sure that it is there": the
// same configuration is fine, another one is a conflict.
import { sameMediaType } from './content-type.ts'
import { type Lifetime, sameLifetime } from './expiry.ts'
import type { Position } from './offset.ts'
import { type Refusal, refuse } from './refusal.ts'

export type ForkRequest = {
  /** Project and id of the source. */
  source: string
  /** Null: where the source ends at that moment. */
  anchor: Position | null
  subOffset: number
}

export type CreateRequest = {
  /** Null: the source's, or bytes. */
  contentType: string | null
  lifetime: Lifetime
  closed: boolean
  fork: ForkRequest | null
  isPublic: boolean
}

export type ExistingStream = {
  contentType: string
  lifetime: Lifetime
  /** A fork that named no lifetime has its source's. */
  lifetimeInherited: boolean
  closed: boolean
  fork: { source: string; anchor: Position; subOffset: number } | null
  isPublic: boolean
}

/** Null when the request describes this stream. */
export function conflictWith(existing: ExistingStream, request: CreateRequest, defaultType: string): Refusal | null {
  const fork = existing.fork
  if ((fork === null) !== (request.fork === null)) return conflict('another origin')
  if (fork !== null && request.fork !== null) {
    if (fork.source !== request.fork.source) return conflict('another source')
    if (request.fork.anchor !== null && fork.anchor !== request.fork.anchor) return conflict('another fork offset')
    if (fork.subOffset !== request.fork.subOffset) return conflict('another fork sub-offset')
  }
  const wantedType = request.contentType ?? (fork === null ? defaultType : existing.contentType)
  if (!sameMediaType(existing.contentType, wantedType)) return conflict('another content type')
  const inherits = existing.lifetimeInherited && request.lifetime.kind === 'endless'
  if (!inherits && !sameLifetime(existing.lifetime, request.lifetime)) return conflict('another lifetime')
  if (existing.closed !== request.closed) return conflict(existing.closed ? 'a closed end' : 'an open end')
  return existing.isPublic === request.isPublic ? null : conflict('another audience')
}

const conflict = (what: string): Refusal => refuse(409, `a stream with ${what} is already here`)
