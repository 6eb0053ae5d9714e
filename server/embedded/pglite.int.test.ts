import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPool } from '#server/db/pool.ts'
import { type Pglite, startPglite } from './pglite.ts'

let database: Pglite
let pool: pg.Pool
const fail = (error: Error) => expect.unreachable(`connection lost: ${error.message}`)
async function open(dataDir: string | null) {
  database = await startPglite({ dataDir })
  pool = openPool({ stream: database.connect }, fail)
}
async function close() {
  await pool.end()
  await database.stop()
}

describe('in memory', () => {
  beforeEach(() => open(null))
  afterEach(close)

  test('answers queries, and SQL errors come with their code', async () => {
    const { rows } = await pool.query('select $1::int + 1 as sum', [41])
    expect(rows).toEqual([{ sum: 42 }])
    await expect(pool.query('select $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' })
    await expect(pool.query('select 1 as one')).resolves.toMatchObject({ rows: [{ one: 1 }] })
  })

  test('carries long parameters and long answers whole', async () => {
    const long = 'ä'.repeat(2_000_000)
    const { rows } = await pool.query('select $1::text as text', [long])
    expect(rows[0].text === long).toBe(true)
  })

  test('keeps many queries of one moment in order', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, number) => pool.query('select $1::int as number', [number])),
    )
    expect(answers.map(({ rows }) => rows[0].number)).toEqual(Array.from({ length: 200 }, (_, number) => number))
  })

  test('a connection that goes away in a transaction takes its changes and its prepared statements along', async () => {
    await pool.query('create table kept (n int)')
    const client = await pool.connect()
    await client.query('begin')
    await client.query('insert into kept values (1)')
    await client.query({ name: 'same-name', text: 'select 1 as n' })
    client.release(true)
    expect((await pool.query('select * from kept')).rows).toEqual([])
    expect((await pool.query({ name: 'same-name', text: 'select 2 as n' })).rows).toEqual([{ n: 2 }])
  })

  test('a second connection beside the first is refused, and the first is not disturbed', async () => {
    const client = await pool.connect()
    const second = openPool({ stream: database.connect }, fail)
    await expect(second.query('select 1')).rejects.toThrow('one connection')
    await second.end()
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    client.release()
  })

  test('a query after the stop fails and does not hang', async () => {
    await pool.query('select 1')
    // Here the idle connection is meant to be lost.
    pool.removeAllListeners('error').on('error', () => {})
    await database.stop()
    await expect(pool.query('select 1')).rejects.toThrow('stopped')
  })
})

describe('in a directory', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sf-pglite-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  test('keeps what was written, over a stop and a start', async () => {
    await open(directory)
    await pool.query('create table kept as select 7 as n')
    await close()
    await open(directory)
    expect((await pool.query('select n from kept')).rows).toEqual([{ n: 7 }])
    await close()
  })

  test('a creation that was cut short is done again from the start', async () => {
    await open(directory)
    await pool.query('create table half_made (n int)')
    await close()
    writeFileSync(join(directory, 'postgres.unfinished'), '')
    await open(directory)
    await expect(pool.query('select * from half_made')).rejects.toMatchObject({ code: '42P01' })
    await close()
  })

  test('a dump is the whole database, and a new one can start from it', async () => {
    await open(null)
    await pool.query('create table copied as select 9 as n')
    const file = join(directory, 'dump.tar')
    await database.dump(file)
    await close()
    database = await startPglite({ dataDir: join(directory, 'copy'), template: file })
    pool = openPool({ stream: database.connect }, fail)
    expect((await pool.query('select n from copied')).rows).toEqual([{ n: 9 }])
    await close()
  })
})
