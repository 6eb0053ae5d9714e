import type { Socket } from 'node:net'
import type { Response } from 'express'
import { expect, test } from 'vitest'
import type { TopicChange } from '#shared/live-events.ts'
import { Connection } from './connection.ts'
import { Hub } from './hub.ts'
import type { Framed } from './ring.ts'

const SECRET = 7
const removed: TopicChange = { kind: 'member', person: { id: 'eve', handle: 'eve', name: 'Eve' }, state: 'removed' }

/** A hub whose answers from the database come when the test lets them. */
function worldOf({ stillReads }: { stillReads: string[] }) {
  const asked: (() => void)[] = []
  const hub = new Hub({
    windowMs: 0,
    followed: async (userId) => ({ version: 2, topics: stillReads.includes(userId) ? [{ id: SECRET }] : [] }),
    readers: (_topic, people) =>
      new Promise((resolve) => asked.push(() => resolve(people.filter((id) => stillReads.includes(id))))),
    onError: (error) => expect.unreachable(String(error)),
  })
  const connect = (userId: string) => {
    const written: string[] = []
    const socket = { destroyed: false, writableLength: 0, write: (bytes: Buffer) => written.push(bytes.toString()) }
    const connection = new Connection({
      response: {} as Response,
      socket: socket as unknown as Socket,
      userId,
      sessionId: userId,
      maxQueuedBytes: 1_000,
    })
    hub.add(connection)
    return {
      connection,
      socket,
      written: () => {
        hub.flush()
        return written
      },
    }
  }
  const settle = async () => {
    for (const answer of asked.splice(0)) answer()
    await new Promise(setImmediate)
  }
  return { hub, connect, settle }
}

const event = (topicId: number, text: string): Framed => ({
  position: { epoch: 'epoch1', ms: 1, n: 0 },
  topicId,
  kind: 'activity',
  data: '{}',
  frame: Buffer.from(text),
})
const update = (change: TopicChange): Framed => ({
  ...event(SECRET, '<update>'),
  kind: 'update',
  data: JSON.stringify({ topic: SECRET, seq: 1, change }),
})

test('[LIVE-3] an event goes to those who watch its topic, and a window leaves in one write', () => {
  const { hub, connect } = worldOf({ stillReads: [] })
  const [ada, eve] = [connect('ada'), connect('eve')]
  for (const { connection } of [ada, eve]) hub.release(connection)
  hub.watch(ada.connection, [1, 2])
  hub.watch(eve.connection, [2])
  hub.deliver(event(1, '<one>'))
  hub.deliver(event(2, '<two>'))
  expect(ada.written().join('')).toBe('<one><two>')
  expect(ada.written()).toHaveLength(1)
  expect(eve.written().join('')).toBe('<two>')
})

test('[LIVE-2] what arrives during the replay waits for it', () => {
  const { hub, connect } = worldOf({ stillReads: [] })
  const ada = connect('ada')
  hub.watch(ada.connection, [1])
  hub.deliver(event(1, '<live>'))
  expect(ada.written().join('')).toBe('')
  ada.connection.write(Buffer.from('<replay>'))
  hub.release(ada.connection)
  expect(ada.written().join('')).toBe('<replay><live>')
})

test('[FEED-2] who is removed gets neither the removal nor anything after it, before any answer of the database', async () => {
  const { hub, connect, settle } = worldOf({ stillReads: ['ada'] })
  const [ada, eve] = [connect('ada'), connect('eve')]
  for (const { connection } of [ada, eve]) {
    hub.watch(connection, [SECRET])
    hub.release(connection)
  }
  hub.deliver(update(removed))
  hub.deliver(event(SECRET, '<after>'))
  expect(eve.written().join('')).toBe('')
  expect(ada.written().join('')).toBe('<update><after>')
  await settle()
  expect(eve.written().join('')).toContain('"topics":[]')
})

test('[FEED-2] removed while the connection was still loading what it may see: the stale list does not count', async () => {
  const { hub, connect, settle } = worldOf({ stillReads: [] })
  const eve = connect('eve')
  hub.deliver(update(removed))
  hub.watch(eve.connection, [SECRET])
  hub.release(eve.connection)
  hub.deliver(event(SECRET, '<after>'))
  await settle()
  hub.deliver(event(SECRET, '<later>'))
  expect(eve.written().join('')).not.toMatch(/after|later/)
})

test('[FEED-2] a topic that turns private is shut for all, then opened again for its members, who are told', async () => {
  const { hub, connect, settle } = worldOf({ stillReads: ['ada'] })
  const [ada, eve] = [connect('ada'), connect('eve')]
  for (const { connection } of [ada, eve]) {
    hub.watch(connection, [SECRET])
    hub.release(connection)
  }
  hub.deliver(update({ kind: 'settings', description: '', visibility: 'private', posting: 'everyone' }))
  hub.deliver(event(SECRET, '<after>'))
  await settle()
  hub.deliver(event(SECRET, '<later>'))
  expect(eve.written().join('')).not.toMatch(/after|later/)
  expect(ada.written().join('')).toContain('<later>')
  // The list makes the client look for what it missed meanwhile.
  expect(ada.written().join('').indexOf('"follows"')).toBeLessThan(ada.written().join('').indexOf('<later>'))
})

test('[LIVE-4] a reader that is too far behind is cut, and delays nobody', () => {
  const { hub, connect } = worldOf({ stillReads: [] })
  const [slow, quick] = [connect('ada'), connect('eve')]
  let cut = false
  Object.assign(slow.socket, { writableLength: 1_001, destroy: () => (cut = true) })
  for (const { connection } of [slow, quick]) {
    hub.release(connection)
    hub.watch(connection, [1])
  }
  hub.deliver(event(1, '<one>'))
  expect(quick.written().join('')).toBe('<one>')
  expect(slow.written().join('')).toBe('')
  expect(cut).toBe(true)
})
