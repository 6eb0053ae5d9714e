import { expect, test } from 'vitest'
import { type CreateRequest, conflictWith, type ExistingStream } from './create.ts'

const plain: ExistingStream = {
  contentType: 'text/plain',
  lifetime: { kind: 'endless' },
  lifetimeInherited: false,
  closed: false,
  fork: null,
  isPublic: false,
}
const same: CreateRequest = {
  contentType: 'Text/Plain',
  lifetime: { kind: 'endless' },
  closed: false,
  fork: null,
  isPublic: false,
}
const judge = (existing: ExistingStream, request: CreateRequest) => conflictWith(existing, request, 'application/x')

test('[STR-1] creating what is there already is no conflict', () => {
  expect(judge(plain, same)).toBeNull()
  expect(judge({ ...plain, contentType: 'application/x' }, { ...same, contentType: null })).toBeNull()
})

test.each<Partial<CreateRequest>>([
  { contentType: 'text/html' },
  { contentType: null },
  { lifetime: { kind: 'sliding', ttlSeconds: 5 } },
  { closed: true },
  { isPublic: true },
  { fork: { source: 'default/a', anchor: null, subOffset: 0 } },
])('[STR-1] creating with %j is a conflict', (change) => {
  expect(judge(plain, { ...same, ...change })).toMatchObject({ status: 409 })
})

test('[STR-1] a fork is the same when its source and place are; an end it inherited need not be named', () => {
  const fork: ExistingStream = {
    ...plain,
    fork: { source: 'default/a', anchor: 7, subOffset: 2 },
    lifetime: { kind: 'sliding', ttlSeconds: 60 },
    lifetimeInherited: true,
  }
  const again = { ...same, contentType: null, fork: { source: 'default/a', anchor: 7, subOffset: 2 } }
  expect(judge(fork, again)).toBeNull()
  expect(judge(fork, { ...again, fork: { ...again.fork, anchor: null } })).toBeNull()
  expect(judge(fork, { ...again, fork: { ...again.fork, anchor: 8 } })).toMatchObject({ status: 409 })
  expect(judge(fork, { ...again, fork: { ...again.fork, subOffset: 1 } })).toMatchObject({ status: 409 })
  expect(judge(fork, { ...again, fork: { ...again.fork, source: 'default/b' } })).toMatchObject({ status: 409 })
  expect(judge(fork, same)).toMatchObject({ status: 409 })
})
