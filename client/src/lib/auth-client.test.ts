import { expect, it } from 'vitest'
import { problemIn } from './auth-client.ts'

it('[FEED-21] a refusal keeps its code, sentence and field', () => {
  const body = { code: 'NAME_TAKEN', message: 'This handle is taken.', field: 'handle' }
  expect(problemIn({ status: 409, error: body })).toEqual(body)
})

it('[FEED-21] an answer that is not ours reads as "not reachable", never as success', () => {
  expect(problemIn({ status: 502, statusText: 'Bad Gateway' })?.code).toBe('UNAVAILABLE')
  expect(problemIn(new TypeError('fetch failed'))?.code).toBe('UNAVAILABLE')
  expect(problemIn(null)).toBeNull()
})
