import { expect, test } from 'vitest'
import { parseSubscriptionRoute } from './route.ts'

const id = '0b0e7a52-1111-4222-8333-444455556666'

test.each([
  ['POST', '/v1/feed/subscribe', { action: 'subscribe', project: 'feed' }],
  ['DELETE', '/v1/feed/unsubscribe', { action: 'unsubscribe', project: 'feed' }],
  ['POST', '/v1/feed/publish/topic:1', { action: 'publish', project: 'feed', streamId: 'topic:1' }],
  ['POST', '/v1/feed/publish/topic%3A1', { action: 'publish', project: 'feed', streamId: 'topic:1' }],
  ['GET', `/v1/feed/session/${id}`, { action: 'get-session', project: 'feed', sessionId: id }],
  ['POST', `/v1/feed/session/${id}/touch`, { action: 'touch-session', project: 'feed', sessionId: id }],
  ['DELETE', `/v1/feed/session/${id}`, { action: 'delete-session', project: 'feed', sessionId: id }],
])('[SUB-2] %s %s', (method, path, route) => {
  expect(parseSubscriptionRoute(method, path)).toEqual(route)
})

test.each([
  ['GET', '/v1/feed/subscribe'],
  ['POST', '/v1/feed/subscribe/x'],
  ['POST', '/v1/stream/publish/a'],
  ['POST', `/v1/feed/publish/session:${id}`],
  ['POST', '/v1/feed/publish/a%2F..%2Fb'],
  ['GET', '/v1/feed/session/alice'],
  ['GET', `/v1/feed/session/${id.toUpperCase()}`],
  ['POST', `/v1/feed/session/${id}/touch/x`],
  ['PATCH', `/v1/feed/session/${id}`],
])('[SUB-2] %s %s is nothing of ours', (method, path) => {
  expect(parseSubscriptionRoute(method, path)).toBeNull()
})
