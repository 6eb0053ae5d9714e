import { TRPCError } from '@trpc/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError, ERRORS, type ErrorCode } from '#shared/errors.ts'
import { toHttp, toTrpcEnvelope } from './error-map.ts'

const zodError = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error

describe('toHttp', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])('[FEED-9] gives %s its status and keeps the code', (code) => {
    const answer = toHttp(new AppError(code, 'Text.', { field: 'name' }), 'request-1')
    expect(answer.status).toBe(ERRORS[code].status)
    expect(answer.body.error).toMatchObject({ code, field: 'name', requestId: 'request-1' })
  })

  it('[FEED-9] says nothing of a surprise, not even when it was wrapped', () => {
    const secret = new Error('password=hunter2')
    const wrapped = new AppError('INTERNAL', 'query on users failed', { cause: secret })
    const inTrpc = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: secret })
    for (const error of [secret, wrapped, inTrpc, 'a string', undefined, { status: 400 }]) {
      const { status, body } = toHttp(error, 'request-2')
      expect(status).toBe(500)
      expect(body.error).toEqual({ code: 'INTERNAL', message: expect.any(String), requestId: 'request-2' })
      expect(JSON.stringify(body)).not.toMatch(/hunter2|users/)
    }
  })

  it('[FEED-9] names the place of the first problem', () => {
    const schema = z.strictObject({ list: z.array(z.strictObject({ id: z.int() })) })
    expect(toHttp(zodError(schema, { list: [{ id: 1 }, { id: 'x' }] })).body.error.field).toBe('list.1.id')
    expect(toHttp(zodError(schema, { list: [{ id: 1, extra: 2 }] })).body.error.field).toBe('list.0.extra')
    expect(toHttp(zodError(schema, null)).body.error.field).toBe('input')
  })

  it('[FEED-9] takes zod for the caller’s mistake only where it checked the caller’s input', () => {
    const cause = zodError(z.string(), 5)
    expect(toHttp(new TRPCError({ code: 'BAD_REQUEST', cause })).status).toBe(400)
    expect(toHttp(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause })).status).toBe(500)
  })

  it('[FEED-9] maps what body parsers throw without repeating the body', () => {
    const tooLarge = Object.assign(new Error('too large'), { status: 413, type: 'entity.too.large' })
    const broken = Object.assign(new Error('Unexpected token in "hunter2"'), {
      status: 400,
      type: 'entity.parse.failed',
    })
    expect(toHttp(tooLarge).body.error.code).toBe('TOO_LARGE')
    expect(toHttp(broken)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_INPUT', field: 'body' } } })
    expect(JSON.stringify(toHttp(broken))).not.toContain('hunter2')
  })

  it.each([
    ['refused connection', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['starting database', Object.assign(new Error('starting up'), { code: '57P03' })],
    ['failed query', new Error('Failed query', { cause: Object.assign(new Error('x'), { code: '08006' }) })],
    ['exhausted pool', new Error('timeout exceeded when trying to connect')],
  ])('tells the caller to come back: %s', (_name, error) => {
    expect(toHttp(error)).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
    const inTrpc = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: error })
    expect(toHttp(inTrpc).status).toBe(503)
  })
})

describe('toTrpcEnvelope', () => {
  it('is what tRPC clients unpack', () => {
    expect(toTrpcEnvelope(new AppError('BAD_ORIGIN', 'Elsewhere.'), 'request-3')).toEqual({
      status: 403,
      body: {
        error: {
          message: 'Elsewhere.',
          code: -32003,
          data: {
            code: 'FORBIDDEN',
            httpStatus: 403,
            error: { code: 'BAD_ORIGIN', message: 'Elsewhere.', requestId: 'request-3' },
          },
        },
      },
    })
  })
})
