// What middleware knows about a request and hands to everything after it.
import type { Response } from 'express'
import type { SignedIn } from '#server/accounts/accounts.ts'
import type { StoredKey } from '#server/app/ports.ts'
import type { Log } from '#server/telemetry/logger.ts'

export type RequestContext = {
  requestId: string
  log: Log
  /** Allows the inline scripts and styles that we put into this one answer. */
  nonce: string
  /** Only after the session was looked up. */
  signedIn?: SignedIn | null
  /** A tool's key, once it was looked up; null when there is none. */
  ingestKey?: StoredKey | null
  /** What the answer says, in a few words, for whoever looks at the log of requests. */
  answerNote?: string
  /** A feed call with `since`, which was counted. */
  poll?: boolean
}

export const setContext = (res: Response, context: RequestContext): void => {
  res.locals.context = context
}

export const contextOf = (res: Response): RequestContext => res.locals.context as RequestContext
