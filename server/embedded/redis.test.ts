import { expect, test } from 'vitest'
import { redisVersion } from './redis.ts'

test('reads the version from what redis-server prints', () => {
  expect(redisVersion('Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64')).toEqual({
    major: 7,
    text: '7.0.15',
  })
  expect(redisVersion('something else')).toBeNull()
})
