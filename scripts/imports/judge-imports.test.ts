import { expect, test } from 'vitest'
import { judgeImports } from './judge-imports.ts'

const judge = (files: Record<string, string>) => judgeImports(new Map(Object.entries(files)))

test('a tree that keeps the directions has no problems', () => {
  const problems = judge({
    'shared/activity.ts': "import { z } from 'zod'\nexport const activity = z.string()",
    'server/domain/feed/paging.ts': "import { activity } from '#shared/activity.ts'\nexport const page = activity",
    'server/app/read-feed.ts': "import { page } from '#server/domain/feed/paging.ts'\nexport const read = page",
    'server/db/pages.ts': "import { sql } from 'drizzle-orm'\nimport type { Port } from '#server/app/ports.ts'",
    'server/main.ts': "import './db/pages.ts'\nimport './http/app.ts'",
    'client/src/lib/trpc.ts': "import type { AppRouter } from '#server/routers.ts'",
  })
  expect(problems).toEqual([])
})

test.each([
  ['shared/a.ts', "import { x } from '#server/domain/x.ts'"],
  ['shared/a.ts', "import { readFile } from 'node:fs'"],
  ['server/domain/a.ts', "import type { Pool } from 'pg'"],
  ['server/domain/a.ts', "export { x } from '#server/db/x.ts'"],
  ['server/domain/a.ts', "type X = import('#server/db/x.ts').X"],
  ['server/app/a.ts', "import { eq } from 'drizzle-orm'"],
  ['server/app/a.ts', "const x = await import('../redis/x.ts')"],
  ['server/db/a.ts', "import { keys } from '#server/redis/keys.ts'"],
  ['server/db/a.ts', "import { readFeed } from '#server/app/read-feed.ts'"],
  ['server/http/a.ts', "import { pool } from '../db/pool.ts'"],
  ['server/routers/topics.ts', "import type { Store } from '#server/db/topics.ts'"],
  ['client/src/live/a.ts', "import { Button } from '../ui/button.tsx'"],
  ['client/src/lib/trpc.ts', "import { appRouter } from '#server/routers.ts'"],
  ['client/src/feed/a.tsx', "import type { Db } from '#server/db/pool.ts'"],
  ['e2e/journeys/a.ts', "import { openPool } from '#server/db/pool.ts'"],
])('a forbidden import in %s is found: %s', (path, source) => {
  const problems = judge({ [path]: source })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(path)
})

test.each(['Date.now()', 'Math.random()', 'new Date()', 'process.env'])(
  'a pure room that reads %s by itself is found',
  (expression) => {
    expect(judge({ 'server/domain/a.ts': `export const x = () => ${expression}` })).toHaveLength(1)
    expect(judge({ 'server/live/a.ts': `export const x = () => ${expression}` })).toEqual([])
  },
)

test('a date made from a given time is not a reading of the clock', () => {
  expect(judge({ 'server/domain/a.ts': 'export const at = (ms: number) => new Date(ms)' })).toEqual([])
})

test('a cycle is found once, also through types', () => {
  const problems = judge({
    'server/live/a.ts': "import { b } from './b.ts'\nexport type A = 1",
    'server/live/b.ts': "import { c } from './c.ts'\nexport const b = c",
    'server/live/c.ts': "import type { A } from './a.ts'\nexport const c: A = 1",
  })
  expect(problems).toEqual(['cycle: server/live/a.ts → server/live/b.ts → server/live/c.ts → server/live/a.ts'])
})

test('tests may import anything; files outside every room are named', () => {
  expect(judge({ 'shared/a.test.ts': "import { pool } from '#server/db/pool.ts'" })).toEqual([])
  expect(judge({ 'somewhere/a.ts': 'export const x = 1' })[0]).toContain('no room')
})
