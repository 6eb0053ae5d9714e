// The closed list of what can go wrong in front of a caller. Mapping to HTTP and tRPC happens once, in
// server/http/error-map.ts; clients decide by `code` and `retry`, never by the text.

/** `no`: the same request will fail again; `later`: the same request may succeed; `sign-in`: after signing in. */
type Retry = 'no' | 'later' | 'sign-in'

type Definition = { status: number; trpc: TrpcCode; retry: Retry }
type TrpcCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_SUPPORTED'
  | 'CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNPROCESSABLE_CONTENT'
  | 'TOO_MANY_REQUESTS'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR'

export const ERRORS = {
  INVALID_INPUT: { status: 400, trpc: 'BAD_REQUEST', retry: 'no' },
  BAD_CURSOR: { status: 400, trpc: 'BAD_REQUEST', retry: 'no' },
  BAD_POSITION: { status: 400, trpc: 'BAD_REQUEST', retry: 'no' },
  SIGNED_OUT: { status: 401, trpc: 'UNAUTHORIZED', retry: 'sign-in' },
  /** A tool's key or signature is missing, wrong or revoked. */
  BAD_KEY: { status: 401, trpc: 'UNAUTHORIZED', retry: 'no' },
  NOT_ALLOWED: { status: 403, trpc: 'FORBIDDEN', retry: 'no' },
  BAD_ORIGIN: { status: 403, trpc: 'FORBIDDEN', retry: 'no' },
  /** Also what someone gets who may not see a thing: whether it exists is part of what is private. */
  NOT_FOUND: { status: 404, trpc: 'NOT_FOUND', retry: 'no' },
  /** What a repeated publish stored the first time is no longer there. */
  DELETED: { status: 404, trpc: 'NOT_FOUND', retry: 'no' },
  WRONG_METHOD: { status: 405, trpc: 'METHOD_NOT_SUPPORTED', retry: 'no' },
  NAME_TAKEN: { status: 409, trpc: 'CONFLICT', retry: 'no' },
  LAST_OWNER: { status: 409, trpc: 'CONFLICT', retry: 'no' },
  UNDO_EXPIRED: { status: 409, trpc: 'CONFLICT', retry: 'no' },
  TOO_LARGE: { status: 413, trpc: 'PAYLOAD_TOO_LARGE', retry: 'no' },
  KEY_REUSED: { status: 422, trpc: 'UNPROCESSABLE_CONTENT', retry: 'no' },
  /** It was asked for more than may be worked on for one caller. */
  TOO_SLOW: { status: 422, trpc: 'UNPROCESSABLE_CONTENT', retry: 'no' },
  TOO_MANY: { status: 429, trpc: 'TOO_MANY_REQUESTS', retry: 'later' },
  UNAVAILABLE: { status: 503, trpc: 'SERVICE_UNAVAILABLE', retry: 'later' },
  INTERNAL: { status: 500, trpc: 'INTERNAL_SERVER_ERROR', retry: 'later' },
} as const satisfies Record<string, Definition>

export type ErrorCode = keyof typeof ERRORS

/** What travels to the client in every error answer. */
export type ErrorBody = { code: ErrorCode; message: string; field?: string; requestId?: string }

export class AppError extends Error {
  readonly code: ErrorCode
  readonly field: string | undefined

  constructor(code: ErrorCode, message: string, options: { field?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.field = options.field
  }
}

/** The one sentence for a topic that is missing or hidden, so that the two cannot be told apart. */
export const noSuchTopic = () => new AppError('NOT_FOUND', 'This topic does not exist, or you are not in it.')
export const noSuchActivity = () => new AppError('NOT_FOUND', 'This activity does not exist, or you may not see it.')
export const noSuchComment = () => new AppError('NOT_FOUND', 'This comment does not exist, or you may not see it.')
