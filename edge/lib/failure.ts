// What a caller hears when something behind us broke: that it may come back, and nothing of the insides. The log has those.

export const RETRY_AFTER_SECONDS = 1

/** For whatever was thrown: an object that was lost or overloaded, a binding that did not answer, a mistake of ours. */
export function failureResponse(error: unknown, where: string): Response {
  console.error(JSON.stringify({ message: 'request failed', where, error: String(error) }))
  return Response.json(
    { error: 'the edge could not do this just now' },
    { status: 503, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS), 'Cache-Control': 'no-store' } },
  )
}
