import { expect, test } from 'vitest'
import { readEntry } from './log-entry.ts'

test('[DLV-1] an entry says its epoch, topic, seq and kind, in whatever order its fields come', () => {
  expect(readEntry(['7-0', ['k', 'update', 's', '12', 'd', '{"a":1}', 'e', 'e1', 't', '3', 'r', '1']])).toEqual({
    ...{ id: '7-0', epoch: 'e1', topicId: 3, seq: 12, kind: 'update', data: '{"a":1}', again: true },
  })
})

test('[LIVE-17] a beat, and a kind that is not known, is nobody’s work', () => {
  expect(readEntry(['7-0', ['k', 'beat', 'e', 'e1']])).toMatchObject({ kind: 'beat', epoch: 'e1', again: false })
  expect(readEntry(['7-1', ['k', 'later', 'e', 'e1']])).toMatchObject({ kind: 'beat' })
})
