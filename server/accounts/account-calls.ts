// The account calls that the outside may make: a closed list in front of better-auth, with our checks of the input, limits
// per address and per account, and errors in our words. Everything else that the library could do is not reachable.
import type pg from 'pg'
import type { z } from 'zod'
import { SIGN_IN_PER_ACCOUNT, SIGN_IN_PER_ADDRESS, SIGN_UP_PER_ADDRESS } from '#server/config/tuning.ts'
import { invalidInput } from '#server/http/error-map.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { type Attempts, accountKey, addressKey, type Limit } from './attempts.ts'
import type { Auth } from './auth.ts'
import { changePasswordInput, providerInput, revokeSessionInput, signInInput, signUpInput } from './inputs.ts'

export type AccountCall = {
  method: string
  /** Below /api/auth, such as `/sign-in/email`. */
  path: string
  url: string
  headers: Headers
  /** Parsed JSON, or undefined without a body. */
  body: unknown
  clientAddress: string
}

const CALLS: Record<string, 'GET' | 'POST'> = {
  '/sign-up/email': 'POST',
  '/sign-in/email': 'POST',
  '/sign-in/social': 'POST',
  '/callback/oidc': 'GET',
  '/sign-out': 'POST',
  '/get-session': 'GET',
  '/change-password': 'POST',
  '/list-sessions': 'GET',
  '/revoke-session': 'POST',
  '/revoke-sessions': 'POST',
  '/revoke-other-sessions': 'POST',
}

export type TooMany = AppError & { retryAfterSeconds: number }

export function createAccountCalls({ auth, pool, attempts }: { auth: Auth; pool: pg.Pool; attempts: Attempts }) {
  const pass = async (call: AccountCall, body: unknown): Promise<Response> => {
    const init: RequestInit = { method: call.method, headers: call.headers }
    if (call.method !== 'GET') {
      call.headers.set('content-type', 'application/json')
      call.headers.delete('content-length')
      // Where it came from was judged by middleware/check-origin.ts, which also lets scripts in that say nothing.
      call.headers.set('origin', new URL(call.url).origin)
      init.body = JSON.stringify(body)
    }
    const response = await auth.handler(new Request(call.url, init))
    if (response.status >= 400) throw await inOurWords(response)
    return response
  }

  const limit = async (key: string, rule: Limit) => {
    const seconds = await attempts.count(key, rule)
    if (seconds !== null) throw tooMany(seconds)
  }

  const limited = async (call: AccountCall, input: unknown) => {
    await limit(addressKey('sign-in', call.clientAddress), SIGN_IN_PER_ADDRESS)
    return pass(call, input)
  }

  const handleTaken = async (handle: string) =>
    (await pool.query('select 1 from users where handle = $1', [handle])).rows.length > 0

  const signUp = async (call: AccountCall): Promise<Response> => {
    const input = checked(signUpInput, call.body)
    await limit(addressKey('sign-up', call.clientAddress), SIGN_UP_PER_ADDRESS)
    // Before the e-mail is looked at, so that the answer says nothing about it.
    if (await handleTaken(input.handle)) throw takenHandle()
    try {
      await pass(call, input)
    } catch (error) {
      // Somebody took it between our look and the insert.
      if (await handleTaken(input.handle)) throw takenHandle()
      throw error
    }
    // The same answer for a known and a new e-mail: only what the caller said themselves.
    return Response.json({ token: null, user: { name: input.name, email: input.email, handle: input.handle } })
  }

  const signIn = async (call: AccountCall): Promise<Response> => {
    const input = checked(signInInput, call.body)
    await limit(addressKey('sign-in', call.clientAddress), SIGN_IN_PER_ADDRESS)
    const key = accountKey('sign-in', input.email)
    await limit(key, SIGN_IN_PER_ACCOUNT)
    const response = await pass(call, input)
    await attempts.forget(key)
    return response
  }

  return async (call: AccountCall): Promise<Response> => {
    const method = Object.hasOwn(CALLS, call.path) ? CALLS[call.path] : undefined
    if (!method) throw new AppError('NOT_FOUND', 'There is no such address.')
    if (method !== call.method) throw new AppError('WRONG_METHOD', `Use ${method}.`)
    if (call.path === '/sign-up/email') return signUp(call)
    if (call.path === '/sign-in/email') return signIn(call)
    if (call.path === '/revoke-session') return pass(call, checked(revokeSessionInput, call.body))
    if (call.path === '/change-password') return limited(call, checked(changePasswordInput, call.body))
    if (call.path === '/sign-in/social') return limited(call, checked(providerInput, call.body))
    // The others take nothing but the cookie.
    return pass(call, {})
  }
}

function checked<T extends z.ZodType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(body ?? {})
  if (!parsed.success) throw invalidInput(parsed.error)
  return parsed.data
}

const takenHandle = () => new AppError('NAME_TAKEN', 'This handle is taken. Choose another.', { field: 'handle' })

function tooMany(retryAfterSeconds: number): TooMany {
  const error = new AppError('TOO_MANY', 'Too many attempts. Wait a moment, then try again.')
  return Object.assign(error, { retryAfterSeconds })
}

/** The library's errors, by its code where that says more than the status. Its texts are not passed on. */
async function inOurWords(response: Response): Promise<AppError> {
  // Without a body that can be read, the status alone decides.
  const body: unknown = await response.json().catch(() => null)
  const code = typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : ''
  const known = LIBRARY_CODES[code] ?? LIBRARY_STATUS[response.status]
  if (known) return new AppError(known.code, known.message, known.field ? { field: known.field } : {})
  return new AppError('INTERNAL', 'Something went wrong on our side.', { cause: new Error(`account library: ${code}`) })
}

type Known = { code: ErrorCode; message: string; field?: string }

const LIBRARY_CODES: Record<string, Known> = {
  INVALID_EMAIL_OR_PASSWORD: { code: 'SIGNED_OUT', message: 'E-mail or password is wrong.', field: 'password' },
  INVALID_PASSWORD: { code: 'INVALID_INPUT', message: 'The current password is wrong.', field: 'currentPassword' },
  FAILED_TO_CREATE_USER: { code: 'UNAVAILABLE', message: 'The account could not be made. Try again.' },
  PROVIDER_NOT_FOUND: { code: 'NOT_FOUND', message: 'There is no such way to sign in.', field: 'provider' },
  INVALID_ORIGIN: { code: 'BAD_ORIGIN', message: 'This request came from another site.' },
  MISSING_OR_NULL_ORIGIN: { code: 'BAD_ORIGIN', message: 'This request does not say where it came from.' },
}

const LIBRARY_STATUS: Record<number, Known> = {
  400: { code: 'INVALID_INPUT', message: 'The request is not complete or not valid.' },
  401: { code: 'SIGNED_OUT', message: 'Sign in first.' },
  403: { code: 'NOT_ALLOWED', message: 'This is not allowed.' },
  404: { code: 'NOT_FOUND', message: 'There is no such address.' },
  415: { code: 'INVALID_INPUT', message: 'Send JSON.' },
  422: { code: 'INVALID_INPUT', message: 'The request is not complete or not valid.' },
}
