// Two processes that share nothing but Postgres and Redis: what is changed through one holds on the streams of the other.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Product, startProduct } from '#scripts/testing/product.ts'
import { createVisitor } from '#server/http/app.fixture.ts'
import { newPerson, openStream, type TestPerson } from '#server/testing/product.fixture.ts'
import { EVENTUALLY, openBackends, openLiveReader, PATIENT } from './stage.fixture.ts'

const PRIVATE = 'team/secret'
const PUBLIC = 'project/open'
const ROUNDS = 10

describe('[LIVE-5] rights across processes', () => {
  let backends: Awaited<ReturnType<typeof openBackends>>
  let here: Product
  let there: Product
  let ada: TestPerson
  let ben: TestPerson
  beforeAll(async () => {
    backends = await openBackends()
    const env = { ...backends.env, AUTH_SECRET: 'a-secret-that-both-processes-have-in-common' }
    ;[here, there] = await Promise.all([startProduct(env), startProduct(env)])
    ada = await newPerson(here.url, 'ada')
    ben = await newPerson(here.url, 'ben')
    await ada.call('topics.create', { name: PUBLIC })
    await ada.call('topics.create', { name: PRIVATE, visibility: 'private' })
  }, PATIENT)
  afterAll(async () => {
    await Promise.all([here.kill(), there.kill()])
    await Promise.all([here.stop(), there.stop()])
    await backends.stop()
  })

  /** The same session at the other process. Cookies are named after the port there. */
  const visitorThere = ({ visitor }: TestPerson) => {
    const same = createVisitor(there.url)
    for (const [name, value] of visitor.cookies)
      same.cookies.set(name.replace(String(here.port), String(there.port)), value)
    return same
  }
  const streamThere = async (person: TestPerson) => {
    const stream = await openStream(there.url, visitorThere(person), {})
    await stream.until(({ name }) => name === 'beat')
    return stream
  }
  const readerThere = (person: TestPerson) =>
    openLiveReader({ ...person, visitor: visitorThere(person) }, { base: there.url })
  const post = async (topic: string, summary: string): Promise<number> =>
    (await ada.call('activities.publish', { topic, verb: 'posted', summary })).id

  it('somebody removed here gets nothing there that is published a moment later', async () => {
    await ben.call('topics.follow', { topic: PUBLIC })
    const [bens, adas] = [await streamThere(ben), await streamThere(ada)]
    const reader = await readerThere(ben)
    const open: number[] = []
    const withheld: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await ada.call('topics.members.set', { topic: PRIVATE, handle: 'ben', role: 'member' })
      const { followsVersion } = await ben.call('topics.follow', { topic: PRIVATE })
      await bens.until(({ data }) => data.type === 'follows' && Number(data.version) >= followsVersion)
      const shared = await post(PRIVATE, `round ${round}, for members`)
      await bens.until(({ activityId }) => activityId === shared)
      await expect.poll(() => reader.shown().map(({ id }) => id), EVENTUALLY).toContain(shared)

      await ada.call('topics.members.remove', { topic: PRIVATE, handle: 'ben' })
      withheld.push(await post(PRIVATE, `round ${round}, not for ben`))
      open.push(await post(PUBLIC, `round ${round}, for all`))
      // The log has an order: what came before this has been handed out, or never will be.
      await bens.until(({ activityId }) => activityId === open.at(-1))
      await adas.until(({ activityId }) => activityId === withheld.at(-1))
      await expect.poll(() => reader.shown().map(({ id }) => id), EVENTUALLY).toEqual(open.toReversed())
    }
    const got = bens.data('activity').map(({ activity }) => activity.id)
    expect(got.filter((id) => withheld.includes(id))).toEqual([])
    expect(got).toHaveLength(2 * ROUNDS)
    reader.stop()
    await Promise.all([bens.close(), adas.close()])
  })

  it("signing out here ends that session's streams there, and no other", async () => {
    const guest = await newPerson(here.url, 'guest')
    await guest.call('topics.follow', { topic: PUBLIC })
    const [stream, reader, other] = [await streamThere(guest), await readerThere(guest), await streamThere(ben)]
    await guest.visitor.post('/api/auth/sign-out', {})
    await stream.ended
    await expect.poll(reader.isSignedOut, EVENTUALLY).toBe(true)
    const later = await post(PUBLIC, 'The guest has left.')
    await other.until(({ activityId }) => activityId === later)
    expect(stream.data('activity')).toEqual([])
    expect(reader.shown().map(({ id }) => id)).not.toContain(later)
    reader.stop()
    await other.close()
  })

  it('following and unfollowing here changes the screen there', async () => {
    const topic = 'project/later'
    await ada.call('topics.create', { name: topic })
    const carla = await newPerson(here.url, 'carla')
    const before = await post(topic, 'Before it was followed.')
    const reader = await readerThere(carla)
    const shown = () => reader.shown().map(({ id }) => id)
    expect(shown()).toEqual([])
    await carla.call('topics.follow', { topic })
    const live = await post(topic, 'After it was followed.')
    await expect.poll(shown, EVENTUALLY).toEqual([live, before])
    await carla.call('topics.follow', { topic: PUBLIC })
    await carla.call('topics.unfollow', { topic })
    await post(topic, 'After it was left.')
    const last = await post(PUBLIC, 'Elsewhere.')
    await expect.poll(() => shown()[0], EVENTUALLY).toBe(last)
    expect(reader.shown().filter((item) => item.topic.name === topic)).toEqual([])
    reader.stop()
  })
})
