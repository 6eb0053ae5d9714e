import { expect, test } from 'vitest'
import { sqliteInMemory } from '#scripts/testing/sqlite.ts'
import { migrate } from './migrate.ts'

const first = [`CREATE TABLE things (id TEXT PRIMARY KEY)`]
const second = [
  `ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 0`,
  `CREATE INDEX by_size ON things (size)`,
]

test('[SUB-1] a new object gets every migration, an old one those that it lacks, and nobody one twice', () => {
  const [fresh, old] = [sqliteInMemory(), sqliteInMemory()]
  migrate(fresh, [first, second])
  migrate(old, [first])
  old.exec(`INSERT INTO things VALUES ('kept')`)
  for (const sql of [fresh, old]) {
    migrate(sql, [first, second])
    migrate(sql, [first, second])
    sql.exec(`INSERT INTO things VALUES ('new', 3)`)
  }
  const things = (sql: typeof old) => sql.exec('SELECT id, size FROM things ORDER BY id').toArray()
  expect(things(fresh)).toEqual([{ id: 'new', size: 3 }])
  expect(things(old)).toEqual([
    { id: 'kept', size: 0 },
    { id: 'new', size: 3 },
  ])
})
