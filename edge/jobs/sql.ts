// The part of the platform's SQLite that is used here, so that the same statements can be tried outside of workerd.

export type SqlValue = string | number | null
export type Row = Record<string, SqlValue>
export type Sql = {
  exec: <Found extends Row>(query: string, ...bindings: SqlValue[]) => { toArray: () => Found[] }
}

/** Rows as the platform bills them. */
export type RowCount = { read: number; written: number }

type Counting = Sql & { exec: (query: string, ...bindings: SqlValue[]) => { rowsRead: number; rowsWritten: number } }

/** Every statement runs to its end at once, and is counted. */
export const countingSql = (sql: Counting, rows: RowCount): Sql => ({
  exec: <Found extends Row>(query: string, ...bindings: SqlValue[]) => {
    const cursor = sql.exec<Found>(query, ...bindings)
    const found = cursor.toArray()
    const { rowsRead, rowsWritten } = cursor as unknown as { rowsRead: number; rowsWritten: number }
    rows.read += rowsRead
    rows.written += rowsWritten
    return { toArray: () => found }
  },
})
