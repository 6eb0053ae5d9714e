// One line per event: JSON in production, a short readable line in development. Context first, constant message after.
// What may hold secrets or people's words (cookies, tokens, SQL parameters, bodies) never gets here; the redaction and the
// error shape below are the second fence.
import pino from 'pino'
import type { Env } from '#server/config/env.ts'
import { readableLine } from './readable-line.ts'

export type Log = pino.Logger

const REDACTED = ['cookie', 'authorization', 'password', 'token', 'secret', 'set-cookie']
const PATHS = REDACTED.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

export function createLogger(
  env: Pick<Env, 'mode' | 'logLevel'>,
  out: { write: (line: string) => unknown } = process.stdout,
): Log {
  const options: pino.LoggerOptions = {
    level: env.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: PATHS, censor: '[hidden]' },
    serializers: { err: describeError },
  }
  const write =
    env.mode === 'production' ? (line: string) => out.write(line) : (line: string) => out.write(readableLine(line))
  return pino(options, { write })
}

/** One child per room: `roomLog(log, 'live')`. */
export const roomLog = (log: Log, room: string): Log => log.child({ room })

/** Makes what a part does with an error that it survives: `warn('sweep put off')`. */
export type Warn = (message: string) => (error: unknown) => void
export const warnTo =
  (log: Log): Warn =>
  (message) =>
  (error) =>
    log.warn({ err: error }, message)

export type DescribedError = { type: string; message: string; code?: string; at?: string[]; cause?: DescribedError }

/**
 * What of an unexpected error may be kept. A failed query carries its parameters (people's words, password hashes) in its
 * message, and Postgres quotes values in `detail`: of both only the statement, the code and the place stay.
 */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error object' }
  const described: DescribedError = { type: error.name, message: safeMessage(error) }
  if ('code' in error && typeof error.code === 'string') described.code = error.code
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  if (frames && frames.length > 0 && depth === 0) described.at = frames.slice(0, 8).map((line) => line.trim().slice(3))
  if (error.cause instanceof Error && depth < 3) described.cause = describeError(error.cause, depth + 1)
  return described
}

function safeMessage(error: Error): string {
  if ('query' in error && typeof error.query === 'string') return `Failed query: ${error.query.slice(0, 300)}`
  return error.message.slice(0, 500)
}
