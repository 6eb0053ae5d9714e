// The one trimmer of the log.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openStage, type Stage } from '#server/delivery/stage.fixture.ts'
import { placeKey } from '#server/domain/delivery/handlers.ts'
import { DELIVERY_GROUP, LOG_FLOOR, LOG_STREAM, retryKey } from './keys.ts'

const HANDLERS = ['mentions', 'webhooks'] as const

describe('[DLV-2] trimming', () => {
  let stage: Stage
  beforeEach(async () => {
    stage = await openStage()
    await stage.newTopic('project/apollo')
  })
  afterEach(() => stage.stop())

  const length = async () => Number(await stage.command('XLEN', LOG_STREAM))
  const trimAll = (maxEntries = 1_000_000, deadMax = 1_000) =>
    stage.queue('t', deadMax).trim({ olderThanMs: Date.now() + 60_000, maxEntries, handlers: HANDLERS })

  it('without groups, retention alone decides, and the floor is recorded', async () => {
    await stage.publish('project/apollo', 5)
    const all = await length()
    expect(await stage.queue('t').trim({ olderThanMs: 1, maxEntries: 1_000, handlers: HANDLERS })).toEqual({
      removed: 0,
      died: 0,
    })
    expect(await stage.command('GET', LOG_FLOOR)).toBeNull()
    expect(await trimAll()).toEqual({ removed: all, died: 0 })
    expect(await stage.command('GET', LOG_FLOOR)).toMatch(/^\d+-0$/)
  })

  it('what a group has not read stays, however old', async () => {
    await stage.publish('project/apollo', 5)
    await stage.queue('t').ensureGroup()
    expect(await trimAll()).toEqual({ removed: 0, died: 0 })
    const all = await length()
    const queue = stage.queue('reader')
    const read = await queue.read(2, 10)
    await queue.ack(read.map(({ id }) => id!))
    queue.close()
    await trimAll()
    // The last one that was delivered stays as the border.
    expect(await length()).toBe(all - 1)
  })

  it('what is pending stays, of any group', async () => {
    await stage.publish('project/apollo', 5)
    const queue = stage.queue('reader')
    await queue.ensureGroup()
    const read = await queue.read(100, 10)
    await stage.command('XGROUP', 'CREATE', LOG_STREAM, 'another', '$')
    await queue.ack(read.slice(2).map(({ id }) => id!))
    await trimAll()
    expect(await length()).toBe(read.length)
    await queue.ack([read[0]!.id!])
    await trimAll()
    expect(await length()).toBe(read.length - 1)
    queue.close()
  })

  it('past the hard cap the oldest go; what is unfinished of them dies first, per handler, and is acknowledged', async () => {
    const queue = stage.queue('reader')
    await stage.publish('project/apollo', 6)
    await queue.ensureGroup()
    const read = await queue.read(3, 10)
    await queue.ack([read[0]!.id!])
    // One handler is still open for the second, none has been tried for the third.
    const past = {
      attempts: 2,
      type: 'transient',
      error: 'x',
      stack: null,
      firstAt: 1,
      lastAt: 2,
      held: false,
      replays: 0,
    } as const
    await queue.settle([{ entry: read[1]!, handler: 'webhooks', token: null, do: 'schedule', waitMs: 60_000, past }])
    const all = await length()
    const keep = all - 4
    expect(await trimAll(keep)).toMatchObject({ removed: 4 })
    expect(await length()).toBe(keep)
    const { letters } = await stage.letters.list({ class: 'trimmed' }, null, 100)
    const dead = letters.map((one) => `${one.handler} ${placeKey(one)}`).sort()
    const whole = [placeKey(read[2]!), placeKey({ topicId: read[2]!.topicId, seq: read[2]!.seq + 1 })]
    expect(dead).toEqual(
      [
        `webhooks ${placeKey(read[1]!)}`,
        ...whole.flatMap((place) => HANDLERS.map((name) => `${name} ${place}`)),
      ].sort(),
    )
    expect(letters.find(({ seq }) => seq === read[1]!.seq)).toMatchObject({ attempts: 2, data: read[1]!.data })
    expect(await stage.command('ZCARD', retryKey('webhooks'))).toBe(0)
    expect((await stage.command<unknown[]>('XPENDING', LOG_STREAM, DELIVERY_GROUP))[0]).toBe(0)
    queue.close()
  })

  it('nothing unfinished is dropped while the dead letters are full', async () => {
    await stage.publish('project/apollo', 6)
    await stage.queue('t').ensureGroup()
    const all = await length()
    expect(await trimAll(1, 3)).toEqual({ removed: 1, died: 2 })
    expect(await length()).toBe(all - 1)
  })
})
