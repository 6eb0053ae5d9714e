import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { createExpiredRows } from './expired.ts'

const NOW = new Date('2026-06-01T12:00:00Z')
const KEYS_BEFORE = new Date('2026-05-30T12:00:00Z')

eachDatabase('expired rows', (open) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.stop())

  it('[FEED-9] [FEED-21] old idempotency keys and ended sessions go in batches, the others stay', async () => {
    const { pool } = database
    await pool.query(
      `insert into users (id, name, email, handle, role, created_at, updated_at)
       values ('ada', 'Ada', 'ada@example.com', 'ada', 'member', now(), now())`,
    )
    await pool.query(
      `insert into idempotency_keys (scope, key, body_hash, activity_id, created_at)
       select 'ada', 'key-' || i, 'hash', i, $1::timestamptz + make_interval(hours => i - 3) from generate_series(0, 5) i`,
      [KEYS_BEFORE],
    )
    await pool.query(
      `insert into sessions (id, user_id, token, expires_at, created_at, updated_at)
       select 's' || i, 'ada', 't' || i, $1::timestamptz + make_interval(hours => i), now(), now() from generate_series(-1, 1) i`,
      [NOW],
    )
    const rows = createExpiredRows(pool)
    expect(await rows.remove({ now: NOW, keysBefore: KEYS_BEFORE }, 2)).toBe(3)
    expect(await rows.remove({ now: NOW, keysBefore: KEYS_BEFORE }, 2)).toBe(1)
    expect(await rows.remove({ now: NOW, keysBefore: KEYS_BEFORE }, 2)).toBe(0)
    const { rows: keys } = await pool.query('select key from idempotency_keys order by key')
    expect(keys.map(({ key }) => key)).toEqual(['key-3', 'key-4', 'key-5'])
    const { rows: sessions } = await pool.query('select id from sessions order by id')
    expect(sessions.map(({ id }) => id)).toEqual(['s0', 's1'])
  })
})
