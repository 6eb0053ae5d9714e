// Brings an object's tables to the newest shape. Each migration is a list of statements and runs once per object, in its
// order; they are only ever added to. An object that slept through several of them catches up when it wakes.

/** Of `SqlStorage`, what is needed here. */
export type Sql = {
  exec(query: string, ...bindings: (string | number | null)[]): { toArray(): Record<string, unknown>[] }
}

export type Migrations = readonly (readonly string[])[]

export function migrate(sql: Sql, migrations: Migrations): void {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS schema_version (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL)',
  )
  const version = Number(sql.exec('SELECT version FROM schema_version').toArray()[0]?.version ?? 0)
  if (version >= migrations.length) return
  for (const statement of migrations.slice(version).flat()) sql.exec(statement)
  // All of it is one transaction: an object's writes between two awaits are stored together or not at all.
  sql.exec('INSERT OR REPLACE INTO schema_version VALUES (1, ?)', migrations.length)
}
