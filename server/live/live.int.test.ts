// Open connections over real HTTP, Postgres and Redis: who is known to be here, what is repaired when a message is lost,
// and what happens to readers that do not read.
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createActivityLog } from '#server/redis/activity-log.ts'
import { LOG_BEAT_TURN } from '#server/redis/keys.ts'
import { type Product, startProduct, type TestPerson } from '#server/testing/product.fixture.ts'

const EVENTUALLY = { timeout: 10_000, interval: 20 }
const post = (summary: string, more: object = {}) => ({ topic: 'project/open', verb: 'posted', summary, ...more })

describe('open connections', () => {
  let product: Product
  let ada: TestPerson
  let ben: TestPerson
  beforeAll(async () => {
    product = await startProduct('postgres')
    ada = await product.person('ada')
    ben = await product.person('ben')
    await ada.call('topics.create', { name: 'project/open' })
    await ben.call('topics.follow', { topic: 'project/open' })
  })
  afterAll(() => product.stop())

  const idOf = async (handle: string) =>
    (await product.pool.query('select id from users where handle = $1', [handle])).rows[0].id as string
  const ready = async (person: TestPerson) => {
    const stream = await person.stream()
    await stream.until(({ name }) => name === 'beat')
    return stream
  }

  it('[LIVE-8] Redis knows who holds a connection, while they do and no longer', async () => {
    const id = await idOf('ben')
    const { isLive } = product.services.presence
    expect(await isLive(id)).toBe(false)
    const [first, second] = [await ready(ben), await ready(ben)]
    await expect.poll(() => isLive(id), EVENTUALLY).toBe(true)
    await first.close()
    expect(await isLive(id)).toBe(true)
    await second.close()
    await expect.poll(() => isLive(id), EVENTUALLY).toBe(false)
    expect(Number(await product.redis.sendCommand(['EXISTS', `user:live:{${id}}`]))).toBe(0)
  })

  it('[LIVE-8] what a dead process leaves behind runs out by itself', async () => {
    await product.services.presence.note([{ id: 'left-behind', userId: 'nobody' }])
    const left = Number(await product.redis.sendCommand(['PTTL', 'user:live:{nobody}']))
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThanOrEqual(75_000)
  })

  it("[LIVE-17] the turn to beat is over before a process's own next beat is due", async () => {
    await product.redis.sendCommand(['DEL', LOG_BEAT_TURN])
    const interval = 100_000
    await createActivityLog(product.redis).beat(interval)
    const left = Number(await product.redis.sendCommand(['PTTL', LOG_BEAT_TURN]))
    expect(left).toBeGreaterThan(interval / 2)
    expect(left).toBeLessThanOrEqual(interval * 0.9)
    await product.redis.sendCommand(['DEL', LOG_BEAT_TURN])
  })

  it('[LIVE-5] a change of follows whose message was lost is found', async () => {
    const stream = await ready(ben)
    const id = await idOf('ben')
    await product.pool.query(
      'delete from follows where user_id = $1 and topic_id = (select id from topics where name = $2)',
      [id, 'project/open'],
    )
    await product.pool.query('update users set follows_version = follows_version + 1 where id = $1', [id])
    await product.services.audit()
    const { data } = await stream.until(({ data }) => data.type === 'follows')
    expect(data.topics).toHaveLength(1)
    await stream.close()
    await ben.call('topics.follow', { topic: 'project/open' })
  })

  it("[LIVE-5] a session that ended without a message loses its streams, the person's others stay", async () => {
    const stays = await ready(ben)
    const guest = await product.person('guest')
    const stream = await ready(guest)
    await product.pool.query('delete from sessions where user_id = $1', [await idOf('guest')])
    await product.services.audit()
    await stream.ended
    await ada.call('activities.publish', post('still here'))
    await stays.until(({ name }) => name === 'activity')
    await stays.close()
  })

  it('[LIVE-4] connections that are given up at any moment leave nothing behind', async () => {
    const port = Number(new URL(product.base).port)
    const cookie = [...ben.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    // Those of the tests before are on their way out.
    await expect.poll(() => product.services.hub.size, EVENTUALLY).toBe(0)
    // Not known from memory, so that looking the session up takes its time.
    for (let i = 0; i < 150; i++) {
      if (i % 2 === 0) product.services.knownSessions.doubt()
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(`GET /api/events/activities HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`)
      for (let turn = 0; turn < i % 25; turn++) await new Promise(setImmediate)
      socket.destroy()
    }
    await expect.poll(() => product.services.hub.size, EVENTUALLY).toBe(0)
    await expect.poll(async () => product.services.presence.isLive(await idOf('ben')), EVENTUALLY).toBe(false)
  })

  it('[LIVE-4] 200 readers that never read are cut by what waits for them, and a reader beside them misses nothing', async () => {
    const crowd = await Promise.all(Array.from({ length: 10 }, (_, i) => product.person(`stuck${i}`)))
    for (const person of crowd) await person.call('topics.follow', { topic: 'project/open' })
    const port = Number(new URL(product.base).port)
    // Those of the tests before are on their way out.
    await expect.poll(() => product.services.hub.size, EVENTUALLY).toBe(0)
    const stuck = crowd.flatMap((person) =>
      Array.from({ length: 20 }, () => {
        const socket = connect(port, '127.0.0.1')
        const cookie = [...person.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        socket.write(`GET /api/events/activities HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`)
        socket.pause()
        return socket
      }),
    )
    await expect.poll(() => product.services.hub.size, EVENTUALLY).toBe(200)
    const reader = await ready(ben)
    const sent: number[] = []
    const metadata = { filling: 'x'.repeat(15_000) }
    while (product.services.hub.size > 1) {
      const batch = Array.from({ length: 20 }, () => ada.call('activities.publish', post('to many', { metadata })))
      for (const { id } of await Promise.all(batch)) sent.push(id)
      const last = Math.max(...sent)
      await reader.until(({ activityId }) => activityId === last)
      expect(sent.length).toBeLessThan(5_000)
    }
    const got = reader.data('activity').map(({ activity }) => activity.id as number)
    expect(got.filter((id) => sent.includes(id))).toEqual([...sent].sort((a, b) => a - b))
    for (const socket of stuck) socket.destroy()
    await reader.close()
  })
})
