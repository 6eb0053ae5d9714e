// How the databases of the test server are named; apart from databases.ts because that one needs a running test.

/** Migrated once per run; each suite's database is a copy of it. */
export const TEMPLATE_DATABASE = 'sf_template'

export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
