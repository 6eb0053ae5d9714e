import { expect, it } from 'vitest'
import { anItem } from '../live/testing.ts'
import { headlineText, mainUrl, signOf } from './headline.ts'
import { commitsIn, failureIn, figuresIn } from './metadata.ts'

const ada = { id: 'p-ada', handle: 'ada' }
const issue = { type: 'issue', id: '#42', title: '#42 Feed skips an item' }
const branch = { type: 'branch', id: 'main' }
const say = (part: Parameters<typeof anItem>[0]) => headlineText(anItem(part), ada)

it('[FEED-13] headlines read as people would say them', () => {
  expect(say({ id: 1 })).toBe('Grace posted')
  expect(say({ id: 1, verb: 'commented', object: issue })).toBe('Grace commented on #42 Feed skips an item')
  expect(say({ id: 1, verb: 'commented' })).toBe('Grace commented')
  expect(say({ id: 1, verb: 'pushed', object: { type: 'commits', id: 'x', title: '3 commits' }, target: branch })).toBe(
    'Grace pushed 3 commits to main',
  )
  expect(say({ id: 1, verb: 'merged', object: issue, target: branch })).toBe(
    'Grace merged #42 Feed skips an item into main',
  )
})

it('[FEED-13] tools say what failed, where and how long it took', () => {
  const actor = { kind: 'tool', id: 't', name: 'CI' } as const
  const object = { type: 'workflow', id: 'e2e' }
  expect(say({ id: 1, actor, verb: 'failed', object, target: branch, metadata: { seconds: 252 } })).toBe(
    'CI failed on main · workflow e2e · 4 min 12 s',
  )
  expect(
    say({
      id: 1,
      actor: { ...actor, name: 'Deploy' },
      verb: 'deployed',
      object: { type: 'release', id: '2.1' },
      target: { type: 'environment', id: 'production' },
    }),
  ).toBe('Deploy put 2.1 on production')
  expect(say({ id: 1, actor, verb: 'deployed', object })).toBe('CI deployed e2e')
  expect(signOf(anItem({ id: 1, actor, verb: 'failed' }), false)).toEqual({ icon: 'x', tone: 'bad' })
})

it('[FEED-13] an unknown verb still makes a sentence, also one that is the name of something in every object', () => {
  expect(say({ id: 1, verb: 'signed_off.by-hand', object: issue })).toBe(
    'Grace signed off by hand #42 Feed skips an item',
  )
  expect(say({ id: 1, verb: 'constructor' })).toBe('Grace constructor')
})

it('[FEED-13] the reader is "You"', () => {
  expect(say({ id: 1, actor: { kind: 'person', id: 'p-ada', handle: 'ada', name: 'Ada' } })).toBe('You posted')
})

it('[FEED-9] links and metadata of the wrong kind are left out', () => {
  expect(mainUrl(anItem({ id: 1, object: { ...issue, url: 'javascript:alert(1)' } }))).toBeNull()
  expect(mainUrl(anItem({ id: 1, object: { ...issue, url: 'https://a.example/42' } }))).toBe('https://a.example/42')
  expect(commitsIn({ commits: [{ id: '9f3c1e2aaaa', title: 'One\nmore' }, { id: 3 }, null, 'x'] })).toEqual([
    { id: '9f3c1e2', title: 'One', url: null },
  ])
  expect(commitsIn({ commits: 'many' })).toEqual([])
  expect(failureIn('failed', { failed: '1', total: -4 })).toBeNull()
  expect(failureIn('failed', { failed: 1, total: 214, test: 'a › b' })).toEqual({
    failed: 1,
    total: 214,
    test: 'a › b',
    url: null,
  })
  expect(figuresIn('merged', { added: 3, removed: Number.NaN })).toMatchObject({ added: 3, removed: null })
  expect(figuresIn('merged', {})).toBeNull()
})
