import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitMessages } from './json-messages.ts'

test('[STR-1] an array is as many messages as it has elements, one level deep', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 2), (values, indent) => {
      expect(splitMessages(JSON.stringify(values, null, indent))?.map((text) => JSON.parse(text))).toEqual(
        JSON.parse(JSON.stringify(values)),
      )
    }),
  )
})

test('[STR-1] any other value is one message', () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => !Array.isArray(value)),
      (value) => {
        const text = JSON.stringify(value)
        expect(splitMessages(` ${text}\n`)).toEqual([text])
      },
    ),
  )
})

test('[STR-1] a message keeps its text: large numbers, repeated keys, spaces', () => {
  expect(splitMessages('[12345678901234567890, {"a":1,"a":2}, "x\\"],[", [ 1,[2] ]]')).toEqual([
    '12345678901234567890',
    '{"a":1,"a":2}',
    '"x\\"],["',
    '[ 1,[2] ]',
  ])
})

test.each(['', '{', '[1,]', 'nope', '[1] 2'])('[STR-6] %j is not JSON', (text) => {
  expect(splitMessages(text)).toBeNull()
})
