// What people type on the way in. Strict: better-auth takes further fields (image, callbackURL …) that we do not offer.
import { z } from 'zod'
import { PASSWORD_MAX_CHARS, PASSWORD_MIN_CHARS } from '#server/config/tuning.ts'
import { displayName, handle } from '#shared/person.ts'

const email = z
  .string('Type an e-mail address.')
  .trim()
  .max(254, 'At most 254 characters.')
  .pipe(z.email('This is not an e-mail address.'))
  .transform((value) => value.toLowerCase())

const newPassword = z
  .string('Choose a password.')
  .min(PASSWORD_MIN_CHARS, `At least ${PASSWORD_MIN_CHARS} characters.`)
  .max(PASSWORD_MAX_CHARS, `At most ${PASSWORD_MAX_CHARS} characters.`)

/** Not judged by the rules for new ones: those may have changed since. Only hashing must stay cheap. */
const password = z.string('Type your password.').min(1, 'Type your password.').max(PASSWORD_MAX_CHARS, 'Too long.')

export const signUpInput = z.strictObject({
  name: displayName,
  email,
  password: newPassword,
  handle,
  rememberMe: z.boolean().optional(),
})

export const signInInput = z.strictObject({ email, password, rememberMe: z.boolean().optional() })

export const changePasswordInput = z.strictObject({
  currentPassword: password,
  newPassword,
  revokeOtherSessions: z.boolean().optional(),
})

/** Where to go afterwards: an address of ours, not one that only looks like it. */
const ownPath = z
  .string()
  .max(500, 'At most 500 characters.')
  .regex(/^\/(?![/\\])[^\s\\]*$/, 'Must be an address on this site that starts with /.')

export const providerInput = z.strictObject({
  provider: z.string('Say which way to sign in.').max(40, 'At most 40 characters.'),
  callbackURL: ownPath.optional(),
  errorCallbackURL: ownPath.optional(),
  newUserCallbackURL: ownPath.optional(),
})

export const revokeSessionInput = z.strictObject({
  token: z.string().min(1, 'Must not be empty.').max(200, 'Too long.'),
})
