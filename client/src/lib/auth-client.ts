// Accounts: sign in, sign up, sign out. Loaded only where it is used, because the feed never needs it: the session is a
// cookie. Every outcome is either null (done) or our own error body, so that forms can point at the field.
import { createAuthClient } from 'better-auth/client'
import type { ErrorBody } from '#shared/errors.ts'
import { accountTexts } from '../texts/account.ts'
import { texts } from '../texts/shell.ts'
import { queryClient } from './query-client.ts'
import { forgetPerson, noteSignedIn } from './session.ts'
import { forgetMe } from './use-me.ts'

const authClient = createAuthClient({ basePath: '/api/auth' })

export type AuthProblem = Pick<ErrorBody, 'code' | 'message' | 'field'>

type Answer = { error: unknown }

/** The server puts our error body into the answer; anything else means that it did not answer itself. */
export function problemIn(error: unknown): AuthProblem | null {
  if (error === null || error === undefined) return null
  if (typeof error === 'object' && 'error' in error) {
    const body = error.error
    if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body) return body as ErrorBody
  }
  return { code: 'UNAVAILABLE', message: texts.failed.unreachable }
}

async function outcome(call: Promise<Answer>): Promise<AuthProblem | null> {
  try {
    return problemIn((await call).error)
  } catch (error) {
    return problemIn(error)
  }
}

export type SignInInput = { email: string; password: string }
export type SignUpInput = SignInInput & { name: string; handle: string }

export async function signIn(input: SignInInput): Promise<AuthProblem | null> {
  const problem = await outcome(authClient.signIn.email(input))
  if (problem) return problem
  // The next answers are this person's: nothing of whoever was here before may be shown for a moment.
  forgetMe()
  queryClient.clear()
  noteSignedIn()
  return null
}

/** Signing up answers the same for known and new addresses; only signing in afterwards can tell. */
export async function signUp(input: SignUpInput): Promise<AuthProblem | null> {
  const problem = await outcome(authClient.$fetch('/sign-up/email', { method: 'POST', body: input }))
  if (problem) return problem
  const refused = await signIn({ email: input.email, password: input.password })
  if (refused?.code === 'SIGNED_OUT') return { ...refused, field: 'email', message: accountTexts.maybeKnown }
  return refused
}

/** Leaves for the provider's page; comes back to `next`. */
export const signInWithProvider = (next: string): Promise<AuthProblem | null> =>
  outcome(authClient.$fetch('/sign-in/social', { method: 'POST', body: { provider: 'oidc', callbackURL: next } }))

/** False when the server could not be reached: then the session still exists, and it would be wrong to say otherwise. */
export async function signOut(): Promise<boolean> {
  const problem = await outcome(authClient.signOut())
  if (problem && problem.code !== 'SIGNED_OUT') return false
  await forgetPerson()
  forgetMe()
  queryClient.clear()
  return true
}
