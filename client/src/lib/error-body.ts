// Reads our typed error out of whatever a call threw.
import { TRPCClientError } from '@trpc/client'
import type { ErrorBody } from '#shared/errors.ts'

/** What the server said, or null when it did not answer at all (no network, timeout, a proxy's page). */
export function errorBody(error: unknown): ErrorBody | null {
  if (!(error instanceof TRPCClientError)) return null
  const data: unknown = error.data
  if (typeof data !== 'object' || data === null || !('error' in data)) return null
  const body = data.error
  if (typeof body !== 'object' || body === null || !('code' in body) || !('message' in body)) return null
  return body as ErrorBody
}
