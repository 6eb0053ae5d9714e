// How tools' requests are read and answered, the same for every way in.
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Stored } from '#server/app/publish-activity.ts'
import { AppError } from '#shared/errors.ts'
import type { Result } from '#shared/result.ts'
import { contextOf } from './context.ts'

/** As bytes: what they mean depends on headers, and signatures are made over them. */
export const anyBody = (limit: number): RequestHandler => express.raw({ type: () => true, limit })

/** The body as text; Express leaves an object where there was none. */
export function bodyText(req: Request): string {
  if (!Buffer.isBuffer(req.body)) return ''
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(req.body)
  } catch {
    throw new AppError('INVALID_INPUT', 'The body is not UTF-8.', { field: 'body' })
  }
}

export function must<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new AppError(result.code, result.message, result.field === undefined ? {} : { field: result.field })
}

/** 201 when something is new, 200 when all of it was here before. */
export function answer(res: Response, stored: Stored[]): void {
  contextOf(res).answerNote = noteOf(stored)
  res
    .status(stored.every(({ replayed }) => replayed) ? 200 : 201)
    .setHeader('Cache-Control', 'no-store')
    .json({
      activities: stored.map(({ id, activity, replayed }) => {
        // Stored before under the same key, and deleted since.
        if (!activity) return { id, replayed, deleted: true }
        const { topic, seq, no, publishedAt } = activity
        return { id, topic: topic.name, seq, no, publishedAt, replayed }
      }),
    })
}

function noteOf(stored: Stored[]): string {
  const first = stored[0]?.activity
  if (!first) return 'nothing to store'
  if (stored.every(({ replayed }) => replayed)) return 'same key, first result'
  return stored.length === 1 ? `${first.topic.name} ${first.no}` : `array of ${stored.length}`
}
