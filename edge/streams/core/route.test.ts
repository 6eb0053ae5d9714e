import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isProject, isStreamId, objectName, parseRoute, splitObjectName } from './route.ts'

const uuid = '0b0e7a52-1111-4222-8333-444455556666'

test('[STR-1] both shapes of address', () => {
  expect(parseRoute('/v1/stream/events/a.b')).toEqual({ kind: 'stream', project: 'default', id: 'events/a.b' })
  expect(parseRoute('/v1/acme/stream/x')).toEqual({ kind: 'stream', project: 'acme', id: 'x' })
  expect(parseRoute(`/v1/acme/stream/session:${uuid}`)).toMatchObject({ id: `session:${uuid}` })
  expect(parseRoute('/v1/acme/stream/session%3A'.concat(uuid))).toMatchObject({ id: `session:${uuid}` })
})

test('[STR-1] what begins with __ds belongs to the protocol', () => {
  expect(parseRoute('/v1/acme/stream/__ds/subscriptions/s/streams/a%2Fb')).toEqual({
    kind: 'control',
    project: 'acme',
    root: '/v1/acme/stream',
    rest: ['subscriptions', 's', 'streams', 'a/b'],
  })
})

test.each([
  ...['/', '/v1', '/v1/stream', '/v1/stream/', '/v1/stream/a//b', '/v1/stream/a/', '/v1/stream/a b', '/v1/stream/%zz'],
  ...['/v1/a.b/stream/x', '/v1/stream/../x', '/v1/stream/a/../b', '/v1/stream/%2e%2e', '/v2/stream/x', '/v1/a/b/x'],
  ...['/v1/stream/session:1', '/v1/stream/topic:', '/v1/stream/topic:a/b', `/v1/stream/${'a'.repeat(513)}`],
  ...['/v1/stream/session:0B0E7A52-1111-4222-8333-444455556666', '/v1/stream/a%2f__ds%2f..%2fb'],
])('[STR-6] %s names no stream', (path) => {
  expect(parseRoute(path)).toBeNull()
})

test('[STR-6] no two projects share the name of an object', () => {
  const project = fc.string({ maxLength: 8 }).filter(isProject)
  const id = fc.string({ maxLength: 12 }).filter(isStreamId)
  fc.assert(
    fc.property(project, id, project, id, (projectA, idA, projectB, idB) => {
      expect(splitObjectName(objectName(projectA, idA))).toEqual({ project: projectA, id: idA })
      if (projectA !== projectB) expect(objectName(projectA, idA)).not.toBe(objectName(projectB, idB))
    }),
  )
})
