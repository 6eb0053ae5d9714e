// The ground of every procedure: what a call knows about its caller, and how errors leave. Procedures throw AppError (or
// let zod refuse the input); the shape that reaches the client has no stack and no internal text in any mode.
import { initTRPC, TRPCError } from '@trpc/server'
import { getHTTPStatusCodeFromError } from '@trpc/server/http'
import { errorBody, toAppError } from '#server/http/error-map.ts'
import type { Log } from '#server/telemetry/logger.ts'
import type { CallEnded, CallOutcome } from '#server/telemetry/trpc-metrics.ts'
import { AppError, ERRORS } from '#shared/errors.ts'
import type { Me } from '#shared/person.ts'

export type TrpcContext = {
  person: Me | null
  /** The sign-in behind the call; null without one. */
  loginSession: string | null
  requestId: string
  log: Log
  callEnded?: CallEnded
  /** Whether the request was recognised, and counted, as a poll. */
  countedPoll: boolean
  /** The header `Idempotency-Key`, as it came. */
  idempotencyKey: string | undefined
}

const t = initTRPC.context<TrpcContext>().create({
  isDev: false,
  errorFormatter: ({ shape, error, ctx }) => {
    const body = errorBody(toAppError(error), ctx?.requestId)
    return {
      code: shape.code,
      message: body.message,
      data: { code: shape.data.code, httpStatus: shape.data.httpStatus, path: shape.data.path, error: body },
    }
  },
})

export const router = t.router
export const mergeRouters = t.mergeRouters
export const createCallerFactory = t.createCallerFactory

/** tRPC takes what it does not know for a 500: this gives our errors their own status. */
const withOurErrors = t.middleware(async ({ next }) => {
  const result = await next()
  if (result.ok || (result.error.code !== 'INTERNAL_SERVER_ERROR' && !(result.error.cause instanceof AppError)))
    return result
  const error = toAppError(result.error)
  throw new TRPCError({ code: ERRORS[error.code].trpc, message: error.message, cause: error })
})

const measured = t.middleware(async ({ ctx, path, next }) => {
  const startedAt = performance.now()
  const result = await next()
  const outcome: CallOutcome = result.ok ? 'ok' : getHTTPStatusCodeFromError(result.error) >= 500 ? 'failed' : 'refused'
  ctx.callEnded?.(path, outcome, (performance.now() - startedAt) / 1_000)
  return result
})

export const publicProcedure = t.procedure.use(measured).use(withOurErrors)

export const personProcedure = publicProcedure.use(({ ctx, next }) => {
  if (!ctx.person) throw new AppError('SIGNED_OUT', 'Sign in first.')
  return next({ ctx: { person: ctx.person, loginSession: ctx.loginSession ?? '' } })
})

export const operatorProcedure = personProcedure.use(({ ctx, next }) => {
  if (ctx.person.role !== 'operator') throw new AppError('NOT_ALLOWED', 'This is for operators.')
  return next()
})
