// Who is an operator. Only the command line changes it: nobody makes themselves one through the product.
import type { Statements } from './statements.ts'

export type Operator = { handle: string; name: string; email: string }
export type OperatorStore = ReturnType<typeof createOperatorStore>

export function createOperatorStore(database: Statements) {
  return {
    async list(): Promise<Operator[]> {
      const text = `select handle, name, email from users where role = 'operator' order by handle`
      return (await database.query({ text, values: [] })).rows as Operator[]
    },

    /** False when there is nobody of that handle. */
    async set(handle: string, role: 'operator' | 'member'): Promise<boolean> {
      const text = 'update users set role = $2, updated_at = now() where handle = $1 returning handle'
      return (await database.query({ text, values: [handle, role] })).rows.length > 0
    },
  }
}
