// Bodies are JSON or absent. A form of another site can post text or form data without asking first, but never JSON.
import type { RequestHandler } from 'express'
import { AppError } from '#shared/errors.ts'

export const jsonOnly: RequestHandler = (req, _res, next) => {
  const hasBody = req.get('transfer-encoding') !== undefined || Number(req.get('content-length') ?? 0) > 0
  if (hasBody && !req.is('application/json'))
    throw new AppError('INVALID_INPUT', 'Send JSON (Content-Type: application/json).', { field: 'body' })
  next()
}
