import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Claims, claimsSchema, judgeAccess, type Wanted } from './access.ts'

const now = 1_800_000_000_000
const soon = now / 1_000 + 60
const session = 'session:0b0e7a52-1111-4222-8333-444455556666'
const reader: Claims = { project: 'feed', scope: 'read', stream: session, exp: soon }
const itsStream: Wanted = { project: 'feed', right: 'read', stream: session }

test('[STR-5] a read token opens reading its own stream, until it ends', () => {
  expect(judgeAccess(reader, itsStream, now)).toEqual({ granted: true, expiresAtMs: soon * 1_000 })
})

test('[STR-5] a read token opens nothing else', () => {
  const wanted = fc.record<Wanted>({
    project: fc.constantFrom('feed', 'other'),
    right: fc.constantFrom('read', 'write'),
    stream: fc.constantFrom(session, 'topic:1', 'session:0b0e7a52-1111-4222-8333-000000000000', null),
  })
  fc.assert(
    fc.property(wanted, (want) => {
      const same = want.project === 'feed' && want.right === 'read' && want.stream === session
      expect(judgeAccess(reader, want, now).granted).toBe(same)
    }),
  )
  expect(judgeAccess({ ...reader, stream: undefined }, { ...itsStream, stream: null }, now).granted).toBe(false)
})

test('[STR-5] a read token that lives too long is refused', () => {
  expect(judgeAccess({ ...reader, exp: now / 1_000 + 331 }, itsStream, now)).toMatchObject({ status: 403 })
})

test('[STR-5] a write token opens its whole project and no other', () => {
  const writer: Claims = { project: 'feed', scope: 'write', exp: soon }
  expect(judgeAccess(writer, { project: 'feed', right: 'write', stream: 'topic:1' }, now).granted).toBe(true)
  expect(judgeAccess(writer, { project: 'other', right: 'read', stream: 'topic:1' }, now)).toMatchObject({
    status: 403,
  })
})

test('[SUB-3] a topic with too many listeners is read with a token of its own, which opens that topic only', () => {
  const topical: Claims = { ...reader, stream: 'topic:busy' }
  expect(claimsSchema.parse(topical)).toEqual(topical)
  expect(judgeAccess(topical, { ...itsStream, stream: 'topic:busy' }, now).granted).toBe(true)
  for (const stream of ['topic:other', session, null])
    expect(judgeAccess(topical, { ...itsStream, stream }, now)).toMatchObject({ granted: false, status: 403 })
  expect(judgeAccess(topical, { ...itsStream, right: 'write', stream: 'topic:busy' }, now).granted).toBe(false)
  expect(claimsSchema.safeParse({ ...reader, stream: 'anything' }).success).toBe(false)
})
