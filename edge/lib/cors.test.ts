import { expect, test } from 'vitest'
import { corsHeaders, preflight } from './cors.ts'

test('[STR-5] pages on the list may call, others may not', () => {
  const list = 'https://feed.example, https://other.example'
  expect(corsHeaders(list, 'https://feed.example')).toMatchObject({
    'Access-Control-Allow-Origin': 'https://feed.example',
    Vary: 'Origin',
  })
  expect(corsHeaders(list, 'https://evil.example')).toEqual({ Vary: 'Origin' })
  expect(corsHeaders(undefined, 'https://feed.example')).toEqual({})
  expect(corsHeaders('*', 'https://any.example')).toMatchObject({ 'Access-Control-Allow-Origin': '*' })
})

test('[STR-5] a preflight is granted only to them', () => {
  expect(preflight('https://a.example', 'https://a.example').headers.get('Access-Control-Allow-Headers')).toMatch(
    /If-None-Match/,
  )
  expect(preflight('https://a.example', 'https://b.example').headers.has('Access-Control-Allow-Headers')).toBe(false)
})
