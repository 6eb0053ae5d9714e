import { expect, test } from 'vitest'
import { isJson, isText, mediaType, sameMediaType } from './content-type.ts'

test('[STR-1] case and parameters do not make another type', () => {
  expect(sameMediaType('Application/JSON; charset=utf-8', 'application/json')).toBe(true)
  expect(sameMediaType('text/plain', 'text/html')).toBe(false)
})

test('[STR-1] JSON and text travel as they are, the rest as base64', () => {
  expect(isJson('application/json;charset=utf-8')).toBe(true)
  expect(isJson('application/ndjson')).toBe(false)
  expect(['text/plain', 'TEXT/csv', 'application/json'].every(isText)).toBe(true)
  expect(['application/octet-stream', 'image/png', 'application/x-protobuf'].some(isText)).toBe(false)
})

test.each(['', 'text', 'a/b/c', 'text /plain', '/'])('[STR-6] %j is no media type', (text) => {
  expect(mediaType(text)).toBeNull()
})
