import { expect, test } from 'vitest'
import { KnownSessions } from './known-sessions.ts'

function worldOf() {
  let now = 0
  const sessions = new KnownSessions({ now: () => now })
  sessions.learn('token', { userId: 'ada', sessionId: 's1' })
  return { sessions, after: (ms: number) => (now += ms) }
}

test('[LIVE-6] somebody who was just here is known, until nobody has confirmed it for a while', () => {
  const { sessions, after } = worldOf()
  expect(sessions.get('token')).toMatchObject({ userId: 'ada', sessionId: 's1' })
  expect(sessions.get('another')).toBeNull()
  after(100_000)
  sessions.confirm(['s1', 'unknown'])
  after(100_000)
  expect(sessions.get('token')).not.toBeNull()
  after(60_000)
  expect(sessions.get('token')).toBeNull()
})

test('[LIVE-5] an ended session is nobody at once, and after an interruption nobody is known', () => {
  const { sessions } = worldOf()
  sessions.learn('other', { userId: 'ben', sessionId: 's2' })
  sessions.end('s1')
  expect([sessions.get('token'), sessions.get('other')?.userId]).toEqual([null, 'ben'])
  sessions.doubt()
  expect(sessions.get('other')).toBeNull()
})

test('[LIVE-6] who stayed away is forgotten', () => {
  const { sessions, after } = worldOf()
  after(200_000)
  sessions.sweep()
  sessions.confirm(['s1'])
  expect(sessions.get('token')).toBeNull()
})
