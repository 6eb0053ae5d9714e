import { expect, test } from 'vitest'
import { EnvError } from '#server/config/env.ts'
import { DataDirInUse } from '#server/embedded/data-lock.ts'
import { listenErrorLine } from '#server/http/server.ts'
import { startFailure } from './run-product.ts'

const coded = (code: string) => Object.assign(new Error(`connect ${code}`), { code })

test.each([
  ['a bad value', new EnvError('PORT must be a port number.'), 'PORT'],
  ['a data directory in use', new DataDirInUse('/data/here', '42'), '/data/here'],
  ['a taken port', new Error(listenErrorLine(coded('EADDRINUSE'), 3000, 'localhost')), 'PORT'],
  ['a server that is not there', coded('ECONNREFUSED'), 'DATABASE_URL'],
  ['a wrong password', coded('28P01'), 'DATABASE_URL'],
  ['a missing Redis', new Error('redis-server was not found. Install it, or set REDIS_URL.'), 'REDIS_URL'],
])('%s is one line that says what to do', (_what, error, mention) => {
  const text = startFailure(error)
  expect(text).toContain(mention)
  expect(text.split('\n')).toHaveLength(1)
})

test('a fault of ours comes with its stack', () => {
  expect(startFailure(new TypeError('x is not a function'))).toContain('run-product.test.ts')
})
