// The one place where errors become answers: which of our codes an error is, its HTTP status, and what the caller reads.
// What is not in the closed list is a surprise: neutral text outside, described once in the log inside.
import { TRPCError } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { ZodError } from 'zod'
import { AppError, ERRORS, type ErrorBody } from '#shared/errors.ts'
import { firstProblem } from '#shared/first-problem.ts'

const SURPRISE = 'Something went wrong on our side. If it goes on, quote the request id.'
const NOT_READY = 'The service cannot do this right now. Try again in a moment.'

export type HttpAnswer = { status: number; body: { error: ErrorBody } }

/** The first problem only, with the place in the input as `a.b.0`. */
export function invalidInput(error: ZodError): AppError {
  const { message, field } = firstProblem(error, 'input')
  return new AppError('INVALID_INPUT', message, { field })
}

/** Every error as one of ours. The cause of a surprise is kept for the log. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof TRPCError) return fromTrpc(error)
  if (error instanceof ZodError) return invalidInput(error)
  if (isConnectionTrouble(error)) return new AppError('UNAVAILABLE', NOT_READY, { cause: error })
  return fromBodyParser(error) ?? new AppError('INTERNAL', SURPRISE, { cause: error })
}

function fromTrpc(error: TRPCError): AppError {
  if (error.cause instanceof AppError) return error.cause
  switch (error.code) {
    case 'BAD_REQUEST':
    case 'PARSE_ERROR':
      return error.cause instanceof ZodError
        ? invalidInput(error.cause)
        : new AppError('INVALID_INPUT', 'The request could not be read.', { field: 'input' })
    case 'UNSUPPORTED_MEDIA_TYPE':
      return new AppError('INVALID_INPUT', 'Send JSON.')
    case 'NOT_FOUND':
      return new AppError('NOT_FOUND', 'There is no such call.')
    case 'METHOD_NOT_SUPPORTED':
      return new AppError('WRONG_METHOD', 'Queries are sent with GET, mutations with POST.')
    case 'PAYLOAD_TOO_LARGE':
      return tooLarge()
    default:
      return isConnectionTrouble(error.cause)
        ? new AppError('UNAVAILABLE', NOT_READY, { cause: error.cause })
        : new AppError('INTERNAL', SURPRISE, { cause: error.cause ?? error })
  }
}

/** What Express and its body parsers throw for requests that cannot be read; their own texts quote the body. */
function fromBodyParser(error: unknown): AppError | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null
  if (error.status === 413) return tooLarge()
  const type = 'type' in error ? error.type : ''
  if (type === 'entity.parse.failed')
    return new AppError('INVALID_INPUT', 'The body is not valid JSON.', { field: 'body' })
  return error.status >= 400 && error.status < 500
    ? new AppError('INVALID_INPUT', 'The request could not be read.')
    : null
}

const tooLarge = () => new AppError('TOO_LARGE', 'This is more than one request may hold.', { field: 'body' })

/** No connection, or the database is starting, stopping or out of connections: the same request may work later. */
const TROUBLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  '53300',
  '57P01',
  '57P02',
  '57P03',
])

function isConnectionTrouble(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 3) return false
  if ('code' in error && typeof error.code === 'string' && (TROUBLE.has(error.code) || /^08\w{3}$/.test(error.code)))
    return true
  if (/timeout exceeded when trying to connect|Connection terminated/.test(error.message)) return true
  if (REDIS_TROUBLE.has(error.constructor.name)) return true
  return isConnectionTrouble(error.cause, depth + 1)
}

/** The Redis client tells its errors apart by class only, and this room does not know it. */
const REDIS_TROUBLE = new Set([
  ...['ClientOfflineError', 'ClientClosedError', 'ConnectionTimeoutError', 'SocketTimeoutError'],
  ...['SocketClosedUnexpectedlyError', 'DisconnectsClientError'],
])

export function errorBody(error: AppError, requestId?: string): ErrorBody {
  const body: ErrorBody = { code: error.code, message: isSurprise(error) ? SURPRISE : error.message }
  if (error.field !== undefined) body.field = error.field
  if (requestId !== undefined) body.requestId = requestId
  return body
}

/** Whether the operator should read about it. */
export const isSurprise = (error: AppError): boolean => error.code === 'INTERNAL'

export function toHttp(error: unknown, requestId?: string): HttpAnswer {
  const known = toAppError(error)
  return { status: ERRORS[known.code].status, body: { error: errorBody(known, requestId) } }
}

/** The same in the envelope that tRPC clients read, for what is refused before tRPC sees it. */
export function toTrpcEnvelope(error: unknown, requestId?: string) {
  const { status, body } = toHttp(error, requestId)
  const code = ERRORS[body.error.code].trpc
  const data = { code, httpStatus: status, error: body.error }
  return { status, body: { error: { message: body.error.message, code: TRPC_ERROR_CODES_BY_KEY[code], data } } }
}
