// What a failed call says beside its words: that the session is over, or when to come back.
import { TRPCClientError } from '@trpc/client'
import { errorBody } from '../lib/error-body.ts'
import { retryAfterMs } from './retry-after.ts'

export function refusalOf(error: unknown, now: number): { signedOut: boolean; retryAfterMs: number | null } {
  const signedOut = errorBody(error)?.code === 'SIGNED_OUT'
  const response = error instanceof TRPCClientError ? error.meta?.response : undefined
  const header = response instanceof Response ? response.headers.get('retry-after') : null
  return { signedOut, retryAfterMs: retryAfterMs(header, now) }
}
