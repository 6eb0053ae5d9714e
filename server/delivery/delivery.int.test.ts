// The consumer group on real servers: what is tried, by whom, how often, and what is left behind.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeliveryEntry } from '#server/app/delivery-ports.ts'
import { AnswerFailure, PermanentFailure } from '#server/domain/delivery/failure.ts'
import { placeKey } from '#server/domain/delivery/handlers.ts'
import { DELIVERY_GROUP, LOG_STREAM, retryKey } from '#server/redis/keys.ts'
import type { Outcome } from './handler.ts'
import { openStage, type Stage, scripted } from './stage.fixture.ts'

const EVENTUALLY = { timeout: 60_000, interval: 20 }
const done: Outcome = { is: 'done' }
const failed = (error: Error): Outcome => ({ is: 'failed', error })

describe('delivery', () => {
  let stage: Stage
  const running: { stop: () => Promise<void> }[] = []
  const start = (...args: Parameters<Stage['delivery']>) => {
    const delivery = stage.delivery(...args)
    delivery.start()
    running.push(delivery)
    return delivery
  }
  const pending = async () => (await stage.queue('looker').group()).pending
  const finished = async (handler: string) => {
    await Promise.all(
      running.map(async (one) =>
        'recorder' in one ? (one.recorder as { flush: () => Promise<void> }).flush() : undefined,
      ),
    )
    const { rows } = await stage.pool.query<{ n: string }>(
      `select count(*) as n from delivery_progress p join events e on e.topic_id = p.topic_id
       where p.handler = $1 and p.done @> e.seq and e.activity_id is not null`,
      [handler],
    )
    return Number(rows[0]!.n)
  }

  beforeEach(async () => {
    stage = await openStage()
    await stage.newTopic('project/apollo')
    await stage.newTopic('project/hermes')
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()))
    await stage.stop()
  })

  it('[DLV-3] competing processes share the work, and each handler sees each event once', async () => {
    const mentions = [scripted('mentions'), scripted('mentions')]
    const hooks = [scripted('webhooks'), scripted('webhooks')]
    for (const i of [0, 1]) start(`p${i}`, [mentions[i]!.handler, hooks[i]!.handler])
    const places = [...(await stage.publish('project/apollo', 40)), ...(await stage.publish('project/hermes', 40))]
    const keys = places.map(placeKey).sort()
    const all = (of: typeof mentions) => of.flatMap(({ tries }) => [...tries.keys()]).sort()
    await expect.poll(() => all(mentions), EVENTUALLY).toEqual(keys)
    await expect.poll(() => all(hooks), EVENTUALLY).toEqual(keys)
    await expect.poll(pending, EVENTUALLY).toBe(0)
    await expect.poll(() => finished('webhooks'), EVENTUALLY).toBe(80)
  })

  it('[DLV-3] a retry repeats only the handler that failed', async () => {
    const mentions = scripted('mentions')
    const hooks = scripted('webhooks', (_, tries) => (tries === 1 ? failed(new AnswerFailure(503, '503')) : done))
    // A machine that stalls must not make an orphan of what is being worked on.
    start('p', [mentions.handler, hooks.handler], { pelIdleMs: 30_000 })
    const [place] = await stage.publish('project/apollo', 1)
    await expect.poll(() => hooks.tries.get(placeKey(place!)), EVENTUALLY).toBe(2)
    await expect.poll(pending, EVENTUALLY).toBe(0)
    expect(mentions.tries.get(placeKey(place!))).toBe(1)
    expect(await stage.letters.depth()).toBe(0)
  })

  it('[DLV-4] [DLV-6] what is refused for good goes straight to the dead letters, whole and acknowledged', async () => {
    const hooks = scripted('webhooks', ({ seq }) => (seq === 2 ? failed(new PermanentFailure('no such field')) : done))
    start('p', [hooks.handler])
    await stage.publish('project/apollo', 3)
    await expect.poll(() => stage.letters.depth(), EVENTUALLY).toBe(1)
    await expect.poll(pending, EVENTUALLY).toBe(0)
    const { letters } = await stage.letters.list({}, null, 10)
    expect(letters[0]).toMatchObject({
      ...{ handler: 'webhooks', class: 'permanent', error: 'no such field', attempts: 1, seq: 2, kind: 'activity' },
      ...{ stream: LOG_STREAM, group: DELIVERY_GROUP, replays: 0 },
    })
    expect(JSON.parse(letters[0]!.data).activity.summary).toBe('hello 0')
    expect(letters[0]!.entryId).toMatch(/^\d+-\d+$/)
    expect(letters[0]!.stack).toContain('PermanentFailure')
    // Dead is not done: the row stays for whoever replays it.
    expect(await finished('webhooks')).toBe(2)
  })

  it('[DLV-4] one entry that fails alone uses up its five tries; the others are not held up', async () => {
    const hooks = scripted('webhooks', ({ seq }) => (seq === 3 ? failed(new AnswerFailure(500, '500')) : done))
    const delivery = start('p', [hooks.handler])
    const places = await stage.publish('project/apollo', 6)
    const poison = places.find(({ seq }) => seq === 3)!
    // Its waits of seconds are not the subject: it is made due as soon as it is scheduled.
    const hurry = setInterval(() => void stage.command('ZADD', retryKey('webhooks'), 'XX', '0', placeKey(poison)), 30)
    await expect.poll(() => hooks.tries.get(placeKey(poison)), EVENTUALLY).toBeGreaterThan(5)
    expect(await stage.letters.depth()).toBe(0)
    // The sign of life that makes it the entry's own fault.
    await stage.publish('project/hermes', 1)
    await expect.poll(() => stage.letters.depth(), EVENTUALLY).toBe(1)
    clearInterval(hurry)
    expect(hooks.tries.get(placeKey(poison))).toBeGreaterThanOrEqual(5)
    expect((await stage.letters.list({}, null, 1)).letters[0]).toMatchObject({
      class: 'transient',
      attempts: 5,
      seq: 3,
    })
    expect(hooks.done.size).toBe(6)
    expect(delivery.note().breakers.webhooks.phase).toBe('closed')
  })

  it('[DLV-4] a dependency that is down as a whole uses no attempts, and everything is delivered when it is back', async () => {
    let down = true
    const hooks = scripted('webhooks', () =>
      down ? failed(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })) : done,
    )
    const mentions = scripted('mentions')
    const delivery = start('p', [mentions.handler, hooks.handler])
    await stage.publish('project/apollo', 60)
    await expect.poll(() => delivery.note().breakers.webhooks.phase, EVENTUALLY).toBe('open')
    await stage.publish('project/hermes', 60)
    await expect.poll(() => mentions.done.size, EVENTUALLY).toBe(120)
    const { next } = await delivery.queue.schedule(200)
    await expect.poll(async () => (await delivery.queue.schedule(1)).sizes.webhooks, EVENTUALLY).toBe(120)
    expect(next.every(({ attempts }) => attempts === 0)).toBe(true)
    down = false
    await expect.poll(() => hooks.done.size, EVENTUALLY).toBe(120)
    await expect.poll(pending, EVENTUALLY).toBe(0)
    expect(await stage.letters.depth()).toBe(0)
  })

  it('[DLV-4] an outage with too little traffic to open a breaker ends with everything delivered, and nothing dead', async () => {
    let down = true
    const hooks = scripted('webhooks', () => (down ? failed(new AnswerFailure(503, '503')) : done))
    const delivery = start('p', [hooks.handler], { pace: 500, retryMs: 10 })
    const places = await stage.publish('project/apollo', 2)
    const tries = () => Math.min(...places.map((place) => hooks.tries.get(placeKey(place)) ?? 0))
    await expect.poll(tries, EVENTUALLY).toBeGreaterThan(8)
    expect(delivery.note().breakers.webhooks.phase).toBe('closed')
    expect((await delivery.queue.schedule(5)).next.every(({ held, attempts }) => held && attempts === 4)).toBe(true)
    expect(await stage.letters.depth()).toBe(0)
    down = false
    await expect.poll(() => hooks.done.size, EVENTUALLY).toBe(2)
    await expect.poll(pending, EVENTUALLY).toBe(0)
    expect(await stage.letters.depth()).toBe(0)
  })

  it('[DLV-5] what a consumer that is gone had pending is adopted, and the consumer removed', async () => {
    const ghost = stage.queue('ghost')
    await stage.progress.enable(['webhooks'])
    await stage.publish('project/apollo', 25)
    await ghost.ensureGroup()
    expect((await ghost.read(100, 10)).filter(({ kind }) => kind === 'activity')).toHaveLength(25)
    ghost.close()
    const hooks = scripted('webhooks')
    const delivery = start('p', [hooks.handler])
    await expect.poll(() => hooks.done.size, EVENTUALLY).toBe(25)
    await expect.poll(pending, EVENTUALLY).toBe(0)
    expect([...hooks.tries.values()].every((tries) => tries === 1)).toBe(true)
    await expect
      .poll(async () => {
        await delivery.upkeep.removeIdleConsumers(100)
        return (await delivery.queue.group()).consumers.map(({ name }) => name).sort()
      }, EVENTUALLY)
      .not.toContain('ghost')
  })

  it('[DLV-5] a consumer with something pending is never removed, however long it was idle', async () => {
    const ghost = stage.queue('ghost')
    await stage.publish('project/apollo', 1)
    await ghost.ensureGroup()
    expect(await ghost.read(1, 10)).toHaveLength(1)
    expect(await ghost.removeIdleConsumers(0)).toBe(0)
    expect((await ghost.group()).pending).toBe(1)
    ghost.close()
  })

  it('[DLV-5] taking is a lease: nobody else gets it, whoever oversleeps decides nothing any more', async () => {
    const [one, two] = [stage.queue('one'), stage.queue('two')]
    await stage.publish('project/apollo', 1)
    await one.ensureGroup()
    const read = await one.read(10, 10)
    const entry = read.pop()
    await one.ack(read.map(({ id }) => id!))
    const past = {
      attempts: 1,
      type: 'transient',
      error: 'x',
      stack: null,
      firstAt: 1,
      lastAt: 1,
      held: false,
      replays: 0,
    } as const
    await one.settle([{ entry: entry!, handler: 'webhooks', token: null, do: 'schedule', waitMs: 0, past }])
    const [mine] = await one.take('webhooks', 10, 30)
    expect(mine).toMatchObject({ entry: { seq: entry!.seq, data: entry!.data }, past })
    expect(await two.take('webhooks', 10, 30)).toEqual([])
    await expect.poll(() => two.take('webhooks', 10, 60_000), EVENTUALLY).toHaveLength(1)
    await one.settle([{ entry: entry!, handler: 'webhooks', token: mine!.token, do: 'dead', class: 'transient', past }])
    expect(await stage.letters.depth()).toBe(0)
    expect((await one.group()).pending).toBe(1)
    // Success counts, whoever reports it.
    await one.settle([{ entry: entry!, handler: 'webhooks', token: mine!.token, do: 'done' }])
    expect((await one.group()).pending).toBe(0)
    one.close()
    two.close()
  })

  it('[DLV-6] dead letters are bounded: what does not fit stays scheduled, and moves when there is room', async () => {
    const hooks = scripted('webhooks', () => failed(new PermanentFailure('never')))
    const delivery = start('p', [hooks.handler], {}, 3)
    await stage.publish('project/apollo', 5)
    await expect.poll(() => stage.letters.depth(), EVENTUALLY).toBe(3)
    await expect.poll(async () => (await delivery.queue.schedule(9)).sizes.webhooks, EVENTUALLY).toBe(2)
    expect(await pending()).toBe(2)
    const { letters } = await stage.letters.list({}, null, 10)
    await stage.letters.discard(letters.map(({ id }) => id))
    for (const { topicId, seq } of (await delivery.queue.schedule(9)).next)
      await stage.command('ZADD', retryKey('webhooks'), '0', placeKey({ topicId, seq }))
    await expect.poll(() => stage.letters.depth(), EVENTUALLY).toBe(2)
    await expect.poll(pending, EVENTUALLY).toBe(0)
  })

  it('[DLV-1] a Redis that was emptied repeats only what was not finished', async () => {
    const mentions = scripted('mentions')
    const block = { on: true }
    const hooks = scripted('webhooks', ({ seq }) =>
      block.on && seq === 2 ? failed(new AnswerFailure(503, '503')) : done,
    )
    start('p', [mentions.handler, hooks.handler])
    await stage.publish('project/apollo', 5)
    await expect.poll(() => hooks.done.size, EVENTUALLY).toBe(4)
    await expect.poll(() => finished('webhooks'), EVENTUALLY).toBe(4)
    await expect.poll(() => finished('mentions'), EVENTUALLY).toBe(5)
    block.on = false
    await stage.command('FLUSHALL')
    await stage.relay.reconcile()
    await expect.poll(() => hooks.done.size, EVENTUALLY).toBe(5)
    await expect.poll(pending, EVENTUALLY).toBe(0)
    expect([...mentions.tries.values()]).toEqual([1, 1, 1, 1, 1])
    expect([...hooks.tries.values()].filter((tries) => tries > 1)).toHaveLength(1)
  })

  it('[DLV-1] [DLV-9] what Redis has lost without a trace is owed, and brought back from Postgres', async () => {
    const hooks = scripted('webhooks')
    const delivery = stage.delivery('p', [hooks.handler], { owedAgeMs: 0 })
    await stage.progress.enable(['webhooks'])
    const places = await stage.publish('project/apollo', 5)
    await delivery.queue.ensureGroup()
    const read = await delivery.queue.read(10, 10)
    // Unread and pending is not lost.
    expect(await delivery.upkeep.bringBackOwed()).toBe(0)
    await delivery.queue.ack(read.map(({ id }) => id!))
    expect(await delivery.upkeep.bringBackOwed()).toBe(5)
    expect(await delivery.upkeep.bringBackOwed()).toBe(0)
    delivery.start()
    running.push(delivery)
    await expect.poll(() => [...hooks.done].sort(), EVENTUALLY).toEqual(places.map(placeKey).sort())
    await expect.poll(() => finished('webhooks'), EVENTUALLY).toBe(5)
    expect(await delivery.upkeep.bringBackOwed()).toBe(0)
  })

  it('[DLV-3] a handler that hangs is given up after its time, and its entries are tried again', async () => {
    const hang = new Promise<Outcome>(() => {})
    const hooks = scripted('webhooks', (_: DeliveryEntry, tries) => (tries === 1 ? hang : done))
    start('p', [hooks.handler], { handlerTimeoutMs: 100 })
    await stage.publish('project/apollo', 3)
    await expect.poll(() => hooks.done.size, EVENTUALLY).toBe(3)
    await expect.poll(pending, EVENTUALLY).toBe(0)
  })
})
