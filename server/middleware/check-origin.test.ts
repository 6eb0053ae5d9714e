import { describe, expect, it } from 'vitest'
import { judgeOrigin, type OriginFacts } from './check-origin.ts'

const facts = (over: Partial<OriginFacts>): OriginFacts => ({
  method: 'POST',
  origin: undefined,
  fetchSite: undefined,
  hasCookie: true,
  hasCustomHeader: false,
  ownOrigin: 'https://feed.example',
  ...over,
})

describe('judgeOrigin', () => {
  it.each([
    ['our own page', { origin: 'https://feed.example', fetchSite: 'same-origin' }, 'ok'],
    ['our own page in an older browser', { origin: 'https://feed.example' }, 'ok'],
    ['another site', { origin: 'https://evil.example', fetchSite: 'cross-site' }, 'foreign'],
    ['another site that hides its origin', { origin: 'null' }, 'foreign'],
    ['another port of our host', { origin: 'https://feed.example:8443', fetchSite: 'same-site' }, 'foreign'],
    ['plain http to our https', { origin: 'http://feed.example' }, 'foreign'],
    ['a name that starts like ours', { origin: 'https://feed.example.evil.example' }, 'foreign'],
    ['a claim of ours that the browser denies', { origin: 'https://feed.example', fetchSite: 'cross-site' }, 'foreign'],
    ['a cookie with no word about its origin', {}, 'unsaid'],
    ['a script that sends our header', { hasCustomHeader: true }, 'ok'],
    ['a script without cookies', { hasCookie: false }, 'ok'],
    ['our header from another site all the same', { hasCustomHeader: true, origin: 'https://evil.example' }, 'foreign'],
    ['reading from anywhere', { method: 'GET', origin: 'https://evil.example', fetchSite: 'cross-site' }, 'ok'],
    ['an unusual method from elsewhere', { method: 'DELETE', origin: 'https://evil.example' }, 'foreign'],
  ] as const)('[FEED-21] %s', (_name, over, verdict) => {
    expect(judgeOrigin(facts(over))).toBe(verdict)
  })
})
