import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseText, safeUrl } from './rich-text.ts'

const topics = new Set(['infra/deploys', 'project/apollo'])
const parse = (text: string) => parseText(text, (name) => topics.has(name))

it('[FEED-13] finds people, topics, addresses and code in a text', () => {
  expect(parse('@linus see infra/deploys, #project/apollo and `trim` at https://a.example/x?y=1.')).toEqual([
    { kind: 'person', text: '@linus', handle: 'linus' },
    { kind: 'text', text: ' see ' },
    { kind: 'topic', text: 'infra/deploys' },
    { kind: 'text', text: ', ' },
    { kind: 'topic', text: 'project/apollo' },
    { kind: 'text', text: ' and ' },
    { kind: 'code', text: 'trim' },
    { kind: 'text', text: ' at ' },
    { kind: 'link', text: 'https://a.example/x?y=1', url: 'https://a.example/x?y=1' },
    { kind: 'text', text: '.' },
  ])
})

it('[FEED-13] an e-mail address is nobody mentioned, and an unknown topic is only text', () => {
  expect(parse('write to ada@linus.example about src/main.ts')).toEqual([
    { kind: 'text', text: 'write to ada@linus.example about src/main.ts' },
  ])
})

it('[FEED-9] script-like text stays text', () => {
  expect(parse('<img src=x onerror=alert(1)> javascript:alert(1)').every((part) => part.kind === 'text')).toBe(true)
})

it('[FEED-13] nothing of a text is lost but the ticks around code and the sign before a topic', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '@', '/', '.', ' ', 'h', ':', '-', '\n') }), (text) => {
      expect(
        parse(text)
          .map((part) => part.text)
          .join(''),
      ).toBe(text)
    }),
  )
})

it('[FEED-9] only web addresses become links', () => {
  expect(safeUrl('https://ci.example/1')).toBe('https://ci.example/1')
  expect(safeUrl('javascript:alert(1)')).toBeNull()
  expect(safeUrl('data:text/html,x')).toBeNull()
  expect(safeUrl('not a url')).toBeNull()
  expect(safeUrl(undefined)).toBeNull()
})
