// The part of the platform's SQLite that is used here, so that the same statements can be tried outside of workerd.

export type SqlValue = string | number | null
export type Row = Record<string, SqlValue>
export type Sql = {
  exec: <Found extends Row>(query: string, ...bindings: SqlValue[]) => { toArray: () => Found[] }
}
