// Accounts: sign in, sign up, sign out. Loaded only where it is used (import() from elsewhere), because the feed itself
// never needs it: the session is a cookie.

import { createAuthClient } from 'better-auth/client'
import { inferAdditionalFields } from 'better-auth/client/plugins'
import { queryClient } from './query-client.ts'
import { forgetPerson, noteSignedIn } from './session.ts'
import { forgetMe } from './use-me.ts'

export const authClient = createAuthClient({
  plugins: [inferAdditionalFields({ user: { handle: { type: 'string', required: true } } })],
})

/** After signing in or up, the next answers are somebody else's: nothing of the person before may stay. */
export function startSession() {
  queryClient.clear()
  noteSignedIn()
}

export async function signOut(): Promise<void> {
  await authClient.signOut()
  await forgetPerson()
  forgetMe()
  queryClient.clear()
}
