// The people of the demo. Their password is known to everybody, so they exist only where env.ts allows SEED_DEMO.
import type pg from 'pg'
import type { Auth } from './auth.ts'

export const DEMO_PASSWORD = 'signal-feed-demo'

export const DEMO_PEOPLE = [
  { handle: 'ada', name: 'Ada Lovelace', role: 'operator' },
  { handle: 'grace', name: 'Grace Hopper', role: 'member' },
  { handle: 'linus', name: 'Linus Pauling', role: 'member' },
  { handle: 'barbara', name: 'Barbara McClintock', role: 'member' },
  { handle: 'ken', name: 'Ken Sakamura', role: 'member' },
  { handle: 'margaret', name: 'Margaret Hamilton', role: 'member' },
] as const

export const demoEmail = (handle: string): string => `${handle}@halyard.example`

/** Makes those that are missing; returns the handles that are new. */
export async function ensureDemoPeople(auth: Auth, pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ handle: string; email: string }>(
    'select handle, email from users where handle = any($1) or email = any($2)',
    [DEMO_PEOPLE.map(({ handle }) => handle), DEMO_PEOPLE.map(({ handle }) => demoEmail(handle))],
  )
  const known = new Set(rows.flatMap((row) => [row.handle, row.email]))
  const made: string[] = []
  for (const { handle, name, role } of DEMO_PEOPLE) {
    const email = demoEmail(handle)
    if (known.has(handle) || known.has(email)) continue
    await auth.api.signUpEmail({ body: { name, email, password: DEMO_PASSWORD, handle } })
    if (role === 'operator') await pool.query('update users set role = $1 where handle = $2', [role, handle])
    made.push(handle)
  }
  return made
}
