import { describe, expect, it } from 'vitest'
import type { FeedItem } from '#shared/feed.ts'
import { createOutbox, type Post, type SendResult } from './outbox.ts'
import { anItem } from './testing.ts'

function setUp() {
  const results: SendResult[] = []
  const sent: Post[] = []
  const stored: FeedItem[] = []
  const later: (() => void)[] = []
  let saved: Post[] = []
  let online = true
  let key = 0
  const outbox = createOutbox({
    send: async (post) => {
      sent.push(post)
      return results.shift() ?? { ok: true, item: anItem({ id: sent.length, summary: post.text }) }
    },
    onSent: (item) => item && stored.push(item),
    onFailed: () => {},
    save: (posts) => {
      saved = posts
    },
    isOnline: () => online,
    now: () => 1,
    newKey: () => `key-${++key}`,
    later: (run) => void later.push(run),
  })
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    outbox,
    results,
    sent,
    stored,
    settle,
    saved: () => saved,
    online: (value: boolean) => {
      online = value
    },
    ring: async () => {
      for (const run of later.splice(0)) run()
      await settle()
    },
  }
}

describe('outbox', () => {
  it('[FEED-15] a post is shown as sending and goes away once the server has it', async () => {
    const run = setUp()
    run.outbox.post('project/t1', 'Hello')
    expect(run.outbox.posts()).toMatchObject([{ state: 'sending', text: 'Hello', offline: false }])
    await run.settle()
    expect(run.outbox.posts()).toEqual([])
    expect(run.stored.map((item) => item.summary)).toEqual(['Hello'])
  })

  it('[FEED-15] written offline it waits, is kept, and is sent once on return, in order', async () => {
    const run = setUp()
    run.online(false)
    run.outbox.post('project/t1', 'One')
    run.outbox.post('project/t1', 'Two')
    await run.settle()
    expect(run.sent).toEqual([])
    expect(run.saved()).toMatchObject([
      { text: 'One', state: 'waiting', offline: true },
      { text: 'Two', state: 'waiting' },
    ])
    run.online(true)
    run.outbox.wake()
    run.outbox.wake()
    await run.settle()
    expect(run.sent.map((post) => post.text)).toEqual(['One', 'Two'])
    expect(run.saved()).toEqual([])
  })

  it('[FEED-15] a lost answer is asked for again with the same key', async () => {
    const run = setUp()
    run.results.push({ ok: false, later: true, retryAfterMs: null })
    run.outbox.post('project/t1', 'Once')
    await run.settle()
    expect(run.outbox.posts()).toMatchObject([{ state: 'waiting' }])
    await run.ring()
    expect(run.sent.map((post) => post.key)).toEqual(['key-1', 'key-1'])
    expect(run.outbox.posts()).toEqual([])
  })

  it('[FEED-15] a refusal is kept with its reason, does not stop the next one, and can be sent again or thrown away', async () => {
    const run = setUp()
    run.results.push({ ok: false, later: false, body: { code: 'NOT_ALLOWED', message: 'Only owners post here.' } })
    run.outbox.post('project/t1', 'No')
    run.outbox.post('project/t2', 'Yes')
    await run.settle()
    expect(run.outbox.posts()).toMatchObject([
      { text: 'No', state: 'failed', reason: { text: 'Only owners post here.', signIn: false } },
    ])
    run.outbox.again('key-1')
    await run.settle()
    expect(run.outbox.posts()).toEqual([])
    run.results.push({ ok: false, later: false, body: { code: 'SIGNED_OUT', message: 'Sign in.' } })
    run.outbox.post('project/t1', 'Gone')
    await run.settle()
    run.outbox.discard('key-3')
    expect(run.outbox.posts()).toEqual([])
  })

  it('[FEED-15] a post that came back live before its answer is not shown twice', async () => {
    const run = setUp()
    run.outbox.post('project/t1', 'Hello')
    expect(run.outbox.arrived(anItem({ id: 2, summary: 'Another' }))).toBe(false)
    expect(run.outbox.arrived(anItem({ id: 3, summary: 'Hello' }))).toBe(true)
    expect(run.outbox.posts()).toEqual([])
    await run.settle()
    expect(run.stored.length).toBe(1)
  })

  it('[FEED-15] unsent posts of the last visit are sent by this one', async () => {
    const run = setUp()
    const post: Post = {
      key: 'old',
      topic: 'project/t1',
      text: 'Old',
      writtenAt: 0,
      state: 'sending',
      offline: false,
      reason: null,
    }
    run.outbox.restore([post])
    await run.settle()
    expect(run.sent.map((other) => other.key)).toEqual(['old'])
  })

  it('[FEED-15] what an ended session kept back is sent by the next one', async () => {
    const before = setUp()
    before.results.push({ ok: false, later: false, body: { code: 'SIGNED_OUT', message: 'Sign in.' } })
    before.outbox.post('project/t1', 'Kept')
    await before.settle()
    expect(before.saved()).toMatchObject([{ state: 'failed', reason: { signIn: true } }])
    const after = setUp()
    after.outbox.restore(before.saved())
    await after.settle()
    expect(after.sent.map((post) => post.key)).toEqual(['key-1'])
    expect(after.outbox.posts()).toEqual([])
  })
})

it('[FEED-15] what an earlier try stored, and another device deleted since, is neither kept nor failed', async () => {
  const run = setUp()
  run.results.push({ ok: true, item: null })
  run.outbox.post('project/apollo', 'gone by now')
  await run.settle()
  expect([run.outbox.posts(), run.stored]).toEqual([[], []])
})
