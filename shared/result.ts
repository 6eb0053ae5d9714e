// Outcomes that we expect are returned, not thrown.
import type { ErrorCode } from './errors.ts'

export type Ok<T> = { ok: true; value: T }
export type Err = { ok: false; code: ErrorCode; message: string; field?: string }
export type Result<T> = Ok<T> | Err

export const ok = <T>(value: T): Ok<T> => ({ ok: true, value })

export const err = (code: ErrorCode, message: string, field?: string): Err =>
  field === undefined ? { ok: false, code, message } : { ok: false, code, message, field }
