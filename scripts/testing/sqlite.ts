// SQLite in memory with the face that Durable Objects give it, to try statements outside of workerd.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

export type TestSql = {
  exec: <Found extends Record<string, string | number | null>>(
    query: string,
    ...bindings: (string | number | null)[]
  ) => { toArray: () => Found[] }
}

export function sqliteInMemory(): TestSql {
  const database = new DatabaseSync(':memory:')
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return {
    exec: <Found>(query: string, ...bindings: (string | number | null)[]) => {
      const statement = prepared.get(query) ?? database.prepare(query)
      prepared.set(query, statement)
      // At once, as on the platform; rows are plain objects there.
      const rows = statement.all(...(bindings as SQLInputValue[])).map((row) => ({ ...row }))
      return { toArray: () => rows as Found[] }
    },
  }
}
