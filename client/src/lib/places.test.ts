import { describe, expect, it } from 'vitest'
import { places, safeNext, splitTopic } from './places.ts'

describe('[FEED-21] after signing in', () => {
  it('goes back to the page that asked', () => {
    expect(safeNext('/t/project/apollo?filter=unread')).toBe('/t/project/apollo?filter=unread')
    const address = new URL(places.signIn('/t/team/ops?filter=unread'), 'https://feed.example')
    expect(safeNext(address.searchParams.get('next'))).toBe('/t/team/ops?filter=unread')
  })

  it.each([null, '', 'https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/sign-in'])(
    'never leaves the product or loops: %s',
    (next) => expect(safeNext(next)).toBe('/'),
  )
})

it('[FEED-13] a topic is shown as kind and name', () => {
  expect(splitTopic('project/apollo')).toEqual({ kind: 'project/', name: 'apollo' })
})
