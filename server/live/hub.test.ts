import type { Socket } from 'node:net'
import type { Response } from 'express'
import { expect, test } from 'vitest'
import type { TopicChange } from '#shared/live-events.ts'
import { Connection } from './connection.ts'
import { Hub, type HubDeps } from './hub.ts'
import type { Framed } from './ring.ts'

const SECRET = 7
const NOTHING = Buffer.alloc(0)
const removed: TopicChange = { kind: 'member', person: { id: 'eve', handle: 'eve', name: 'Eve' }, state: 'removed' }

/** A hub whose answers from the database come when the test lets them. */
type World = { stillReads: string[] } & Partial<Pick<HubDeps, 'followed' | 'figures' | 'now'>>

function worldOf({ stillReads, followed, ...measuring }: World) {
  const asked: ((ok: boolean) => void)[] = []
  const errors: unknown[] = []
  const ends: string[] = []
  const hub = new Hub({
    windowMs: 0,
    elapsed: () => 0,
    followed:
      followed ?? (async (userId) => ({ version: 2, topics: stillReads.includes(userId) ? [{ id: SECRET }] : [] })),
    readers: (_topic, people) =>
      new Promise((resolve, reject) =>
        asked.push((ok) => (ok ? resolve(people.filter((id) => stillReads.includes(id))) : reject(new Error('away')))),
      ),
    onError: (error) => errors.push(error),
    ...measuring,
  })
  const connect = (userId: string) => {
    const written: string[] = []
    const socket = {
      destroyed: false,
      writableLength: 0,
      write: (bytes: Buffer) => written.push(bytes.toString()),
      destroy: () => undefined,
    }
    const connection = new Connection({
      id: userId,
      response: { end: () => ends.push(userId) } as unknown as Response,
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
  const answer = async (ok: boolean) => {
    for (const one of asked.splice(0)) one(ok)
    await new Promise(setImmediate)
    expect(errors).toHaveLength(ok ? 0 : 1)
  }
  return { hub, connect, settle: () => answer(true), fail: () => answer(false), ends }
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
  for (const { connection } of [ada, eve]) hub.release(connection, NOTHING)
  hub.watch(ada.connection, { version: 1, topics: [1, 2] })
  hub.watch(eve.connection, { version: 1, topics: [2] })
  hub.deliver(event(1, '<one>'))
  hub.deliver(event(2, '<two>'))
  expect(ada.written().join('')).toBe('<one><two>')
  expect(ada.written()).toHaveLength(1)
  expect(eve.written().join('')).toBe('<two>')
})

test('[LIVE-2] what arrives during the replay waits for it, and the beat whose position covers it comes last', () => {
  const { hub, connect } = worldOf({ stillReads: [] })
  const ada = connect('ada')
  hub.watch(ada.connection, { version: 1, topics: [1] })
  hub.deliver(event(1, '<live>'))
  expect(ada.written().join('')).toBe('')
  ada.connection.write(Buffer.from('<replay>'))
  hub.release(ada.connection, Buffer.from('<beat>'))
  expect(ada.written().join('')).toBe('<replay><live><beat>')
})

test('[FEED-2] who is removed gets neither the removal nor anything after it; the others get all of it', async () => {
  const { hub, connect, settle } = worldOf({ stillReads: ['ada'] })
  const [ada, eve] = [connect('ada'), connect('eve')]
  for (const { connection } of [ada, eve]) {
    hub.watch(connection, { version: 1, topics: [SECRET, 1] })
    hub.release(connection, NOTHING)
  }
  hub.deliver(update(removed))
  hub.deliver(event(SECRET, '<after>'))
  hub.deliver(event(1, '<elsewhere>'))
  expect(ada.written().join('')).toBe('<update><after><elsewhere>')
  expect(eve.written().join('')).toBe('')
  await settle()
  expect(eve.written().join('')).toMatch(/^<elsewhere>.*"topics":\[\]/s)
})

test('[LIVE-5] removed while the connection was still loading what it may see: it has to come again', () => {
  const { hub, connect, ends } = worldOf({ stillReads: [] })
  const eve = connect('eve')
  hub.deliver(update(removed))
  expect(ends).toEqual(['eve'])
  hub.watch(eve.connection, { version: 1, topics: [SECRET] })
  eve.connection.write(Buffer.from('<replay>'))
  hub.release(eve.connection, NOTHING)
  hub.deliver(event(SECRET, '<after>'))
  expect(eve.written()).toEqual([])
})

test('[LIVE-5] a topic that turns private: nobody gets a thing until it is known who may; members then miss nothing', async () => {
  const { hub, connect, settle } = worldOf({ stillReads: ['ada'] })
  const [ada, eve] = [connect('ada'), connect('eve')]
  for (const { connection } of [ada, eve]) {
    hub.watch(connection, { version: 1, topics: [SECRET] })
    hub.release(connection, NOTHING)
  }
  hub.deliver(event(SECRET, '<before>'))
  hub.deliver(update({ kind: 'settings', description: '', visibility: 'private', posting: 'everyone' }))
  hub.deliver(event(SECRET, '<after>'))
  expect([ada, eve].map((one) => one.written().join(''))).toEqual(['<before>', '<before>'])
  await settle()
  hub.deliver(event(SECRET, '<later>'))
  expect(ada.written().join('')).toBe('<before><update><after><later>')
  expect(eve.written().join('')).not.toMatch(/update|after|later/)
})

test('[LIVE-5] the truth cannot be had: the connections end rather than guess', async () => {
  const { hub, connect, fail, ends } = worldOf({ stillReads: ['ada'] })
  const ada = connect('ada')
  hub.watch(ada.connection, { version: 1, topics: [SECRET] })
  hub.release(ada.connection, NOTHING)
  hub.deliver(update({ kind: 'settings', description: '', visibility: 'private', posting: 'everyone' }))
  hub.deliver(event(SECRET, '<after>'))
  await fail()
  expect(ends).toEqual(['ada'])
  expect(ada.written().join('')).toBe('')
})

test('[LIVE-5] an answer about follows that is older than a withdrawal is asked for again', async () => {
  const answers: ((topics: number[]) => void)[] = []
  const { hub, connect, settle } = worldOf({
    stillReads: [],
    followed: () =>
      new Promise((resolve) => answers.push((topics) => resolve({ version: 2, topics: topics.map((id) => ({ id })) }))),
  })
  const eve = connect('eve')
  hub.watch(eve.connection, { version: 1, topics: [SECRET] })
  hub.release(eve.connection, NOTHING)
  const refreshed = hub.refreshFollows('eve')
  hub.deliver(update(removed))
  await settle()
  answers.shift()!([SECRET])
  await new Promise(setImmediate)
  answers.shift()!([])
  await refreshed
  hub.deliver(event(SECRET, '<after>'))
  expect(eve.written().join('')).toMatch(/"topics":\[\]/)
  expect(eve.written().join('')).not.toMatch(/after|"topics":\[7\]/)
})

test('[LIVE-4] a reader that is too far behind is cut, and delays nobody', () => {
  const { hub, connect } = worldOf({ stillReads: [] })
  const [slow, quick] = [connect('ada'), connect('eve')]
  let cut = false
  Object.assign(slow.socket, { writableLength: 1_001, destroy: () => (cut = true) })
  for (const { connection } of [slow, quick]) {
    hub.release(connection, NOTHING)
    hub.watch(connection, { version: 1, topics: [1] })
  }
  hub.deliver(event(1, '<one>'))
  expect(quick.written().join('')).toBe('<one>')
  expect(slow.written().join('')).toBe('')
  expect(cut).toBe(true)
})

test('[MON-1] a round of writes is counted once, and each event timed once with the number of its readers', () => {
  const wrote: number[][] = []
  const left: number[][] = []
  const figures = {
    wrote: (events: number, dropped: number) => wrote.push([events, dropped]),
    left: (seconds: number, readers: number) => left.push([seconds, readers]),
  }
  const { hub, connect } = worldOf({ stillReads: [], figures, now: () => 10_250 })
  const readers = ['ada', 'bo', 'slow', 'loading'].map(connect)
  for (const [at, { connection }] of readers.entries()) {
    hub.watch(connection, { version: 1, topics: [SECRET] })
    if (at < 3) hub.release(connection, NOTHING)
  }
  hub.flush()
  expect(wrote).toEqual([])
  hub.deliver(event(SECRET, 'one'), 10_000)
  hub.deliver(event(SECRET, 'two'), 10_150)
  // Its unsent bytes are beyond what we keep for a reader.
  readers[2]!.socket.writableLength = 2_000
  hub.broadcast(Buffer.from('beat'))
  hub.flush()
  expect(wrote).toEqual([[4, 2]])
  expect(left).toEqual([
    [0.25, 3],
    [0.1, 3],
  ])
  hub.flush()
  expect(wrote).toHaveLength(1)
})
