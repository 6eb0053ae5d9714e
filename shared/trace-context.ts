// The W3C trace context: `00-<trace>-<span>-<flags>`. Whoever calls with one finds our log lines by its trace id.

export type TraceContext = { traceId: string; spanId: string; sampled: boolean }

/** Later versions may have more parts, which are left alone; version ff and ids of zeros mean nothing. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

export function parseTraceparent(text: string | undefined): TraceContext | null {
  const match = TRACEPARENT.exec(text ?? '')
  if (!match || (match[1] === '00' && match[5] !== undefined)) return null
  return { traceId: match[2]!, spanId: match[3]!, sampled: (Number.parseInt(match[4]!, 16) & 1) === 1 }
}
