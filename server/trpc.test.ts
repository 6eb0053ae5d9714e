import { TRPCError } from '@trpc/server'
import { describe, expect, it } from 'vitest'
import { createLogger } from '#server/telemetry/logger.ts'
import { AppError } from '#shared/errors.ts'
import type { Me } from '#shared/person.ts'
import { createCallerFactory, operatorProcedure, personProcedure, publicProcedure, router } from './trpc.ts'

const app = router({
  refused: publicProcedure.query(() => {
    throw new AppError('KEY_REUSED', 'Used for something else.')
  }),
  broken: publicProcedure.query(() => {
    throw new Error('inside')
  }),
  mine: personProcedure.query(({ ctx }) => ctx.person.handle),
  operate: operatorProcedure.query(() => 'done'),
})

const ada: Me = { id: '1', handle: 'ada', name: 'Ada', email: 'a@example.org', role: 'operator', followsVersion: 1 }

const as = (person: Me | null) =>
  createCallerFactory(app)({
    person,
    loginSession: null,
    requestId: 'request-1',
    idempotencyKey: undefined,
    countedPoll: false,
    log: createLogger({ mode: 'production', logLevel: 'silent' }),
  })

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error as TRPCError,
  )

describe('procedures', () => {
  it('[FEED-9] turn our errors into tRPC’s with the matching status', async () => {
    const error = await failure(as(null).refused())
    expect(error).toBeInstanceOf(TRPCError)
    expect(error.code).toBe('UNPROCESSABLE_CONTENT')
    expect(error.cause).toMatchObject({ code: 'KEY_REUSED' })
  })

  it('[FEED-9] turn surprises into INTERNAL, with the cause for the log', async () => {
    const error = await failure(as(null).broken())
    expect(error.code).toBe('INTERNAL_SERVER_ERROR')
    expect(error.message).not.toContain('inside')
    expect(error.cause).toMatchObject({ code: 'INTERNAL', cause: { message: 'inside' } })
  })

  it('[FEED-21] are for those signed in, and for operators, where they say so', async () => {
    expect((await failure(as(null).mine())).code).toBe('UNAUTHORIZED')
    expect(await as(ada).mine()).toBe('ada')
    expect((await failure(as(null).operate())).code).toBe('UNAUTHORIZED')
    expect((await failure(as({ ...ada, role: 'member' }).operate())).code).toBe('FORBIDDEN')
    expect(await as(ada).operate()).toBe('done')
  })
})
