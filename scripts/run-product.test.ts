import { expect, test } from 'vitest'
import { EnvError } from '#server/config/env.ts'
import { DataDirInUse } from '#server/embedded/data-lock.ts'
import { startFailure } from './run-product.ts'

const coded = (code: string, more: object) => Object.assign(new Error(code), { code, ...more })

test.each([
  ['a bad value', new EnvError('PORT must be a port number.'), 'PORT'],
  ['a data directory in use', new DataDirInUse('/data/here', '42'), '/data/here'],
  ['a taken port', coded('EADDRINUSE', { port: 3000 }), 'PORT'],
  ['a server that is not there', coded('ECONNREFUSED', { address: '127.0.0.1', port: 5432 }), 'DATABASE_URL'],
  ['a missing Redis', new Error('redis-server was not found. Install it, or set REDIS_URL.'), 'REDIS_URL'],
])('%s is one line that says what to do', (_what, error, mention) => {
  const text = startFailure(error)
  expect(text).toContain(mention)
  expect(text.split('\n')).toHaveLength(1)
})

test('a fault of ours comes with its stack', () => {
  expect(startFailure(new TypeError('x is not a function'))).toContain('run-product.test.ts')
})
