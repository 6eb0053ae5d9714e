// Which pages of other origins may call us, and what they may send and see.

const METHODS = 'GET, HEAD, PUT, POST, DELETE, OPTIONS'
const ALLOWED = [
  ...['Authorization', 'Content-Type', 'If-None-Match', 'Producer-Id', 'Producer-Epoch', 'Producer-Seq'],
  ...['Stream-Seq', 'Stream-TTL', 'Stream-Expires-At', 'Stream-Closed', 'Stream-Public'],
  ...['Stream-Forked-From', 'Stream-Fork-Offset', 'Stream-Fork-Sub-Offset'],
].join(', ')
const EXPOSED = [
  ...['ETag', 'Location', 'Retry-After', 'Stream-Next-Offset', 'Stream-Cursor', 'Stream-Up-To-Date', 'Stream-Closed'],
  ...['Stream-TTL', 'Stream-Expires-At', 'Stream-SSE-Data-Encoding', 'Producer-Epoch', 'Producer-Seq'],
  ...['Producer-Expected-Seq', 'Producer-Received-Seq', 'Stream-Fanout-Count', 'Stream-Fanout-Mode'],
  ...['Stream-Fanout-Successes', 'Stream-Fanout-Failures'],
].join(', ')
const PREFLIGHT_SECONDS = '600'

/** `allowed` is a list parted by commas, or `*`; no headers for a page that is not on it. */
export function corsHeaders(allowed: string | undefined, origin: string | null): Record<string, string> {
  if (origin === null || allowed === undefined) return {}
  const anyone = allowed.trim() === '*'
  if (!anyone && !allowed.split(',').some((entry) => entry.trim() === origin)) return { Vary: 'Origin' }
  return {
    'Access-Control-Allow-Origin': anyone ? '*' : origin,
    'Access-Control-Expose-Headers': EXPOSED,
    ...(anyone ? {} : { Vary: 'Origin' }),
  }
}

export function preflight(allowed: string | undefined, origin: string | null): Response {
  const headers = corsHeaders(allowed, origin)
  const granted = 'Access-Control-Allow-Origin' in headers
  const permissions: Record<string, string> = granted
    ? {
        'Access-Control-Allow-Methods': METHODS,
        'Access-Control-Allow-Headers': ALLOWED,
        'Access-Control-Max-Age': PREFLIGHT_SECONDS,
      }
    : {}
  return new Response(null, { status: 204, headers: { ...headers, ...permissions } })
}
