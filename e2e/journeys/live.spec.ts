import type { Page } from '@playwright/test'
import { startProxy, type TcpProxy } from '#scripts/testing/tcp-proxy.ts'
import { expect, live, type Person, row, test as withPeople } from '../fixtures/people.ts'

/** Pages that are opened through `wire.url` reach the server by a wire that the test can cut. */
const test = withPeople.extend<{ wire: TcpProxy }>({
  wire: async ({ server }, use) => {
    const wire = await startProxy(server.port)
    await use(wire)
    await wire.stop()
  },
})

const STREAM = '**/api/events/activities*'
const connection = (page: Page, name: RegExp) => expect(page.getByRole('button', { name })).toBeVisible()

/** What the list shows, from the top; the words of the journeys are single ones. */
const shown = (page: Page, words: string[]) =>
  page
    .getByRole('feed', { name: 'Activities' })
    .getByRole('article')
    .evaluateAll((rows, known) => rows.map((one) => known.find((word) => one.textContent?.includes(word))), words)

async function metric(person: Person, name: string): Promise<number> {
  const text = await (await person.api.get('/metrics')).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

/** Whether this tab is the one that holds the connection: a lock of its own tells who it is. */
const leads = (page: Page) =>
  page.evaluate(() =>
    navigator.locks.request('who-am-i', async () => {
      const { held = [] } = await navigator.locks.query()
      const mine = held.find((lock) => lock.name === 'who-am-i')?.clientId
      return held.some((lock) => lock.name?.startsWith('signal-feed:live:') && lock.clientId === mine)
    }),
  )

test('[LIVE-12] twelve tabs over HTTP/1.1 share one connection; when its tab is closed another takes over and nothing is lost', async ({
  newcomer,
  newTopic,
}) => {
  test.setTimeout(180_000)
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  await expect.poll(() => metric(writer, 'sse_connections_active')).toBe(0)
  const leader = await reader.open('/')
  await live(leader)
  const others: Page[] = []
  for (let count = 1; count < 12; count++) {
    const tab = await leader.context().newPage()
    await tab.goto('/')
    others.push(tab)
  }
  for (const tab of others) await live(tab)
  expect(await metric(writer, 'sse_connections_active')).toBe(1)

  await writer.post(topic, 'First: all tabs are open.')
  for (const tab of [leader, ...others]) await expect(row(tab, 'First: all tabs are open.')).toHaveCount(1)

  expect(await leads(leader)).toBe(true)
  const closing = leader.close()
  await writer.post(topic, 'Second: while the leader is closed.')
  await closing
  await writer.post(topic, 'Third: after it was closed.')
  for (const tab of others) {
    await expect(row(tab, 'Third: after it was closed.')).toHaveCount(1)
    await live(tab)
    expect(await shown(tab, ['First', 'Second', 'Third'])).toEqual(['Third', 'Second', 'First'])
  }
  await expect.poll(() => metric(writer, 'sse_connections_active')).toBe(1)
  const leading = await Promise.all(others.map(leads))
  expect(leading.filter(Boolean)).toHaveLength(1)
})

test('[LIVE-9] [LIVE-10] [LIVE-11] a stream that is refused gives way to polling and comes back: everything once and in order', async ({
  newcomer,
  newTopic,
  wire,
}) => {
  test.setTimeout(120_000)
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const page = await reader.open('/', { baseURL: wire.url, serviceWorkers: 'block' })
  await page.clock.install()
  await page.reload()
  await live(page)
  await writer.post(topic, 'One, live.')
  await expect(row(page, 'One, live.')).toBeVisible()
  const opened = await metric(writer, 'sse_circuit_breaker_open_total')

  await page.route(STREAM, (route) => route.abort('connectionrefused'))
  wire.cut()
  await writer.post(topic, 'Two, into the gap.')
  await connection(page, /^Connection: Polling/)
  await page.clock.fastForward(10_000)
  await expect(row(page, 'Two, into the gap.')).toBeVisible()
  await writer.post(topic, 'Three, by polling.')
  await page.clock.fastForward(7_000)
  await expect(row(page, 'Three, by polling.')).toBeVisible()
  const nothingNew = page.waitForResponse((answer) => answer.url().includes('since') && answer.status() === 304)
  await page.clock.fastForward(7_000)
  await nothingNew
  await connection(page, /^Connection: Polling/)
  await expect.poll(() => metric(writer, 'sse_circuit_breaker_open_total')).toBe(opened + 1)

  await page.unroute(STREAM)
  // The rest of the breaker is a minute, and up to half as much again.
  await page.clock.fastForward(90_000)
  await live(page)
  await writer.post(topic, 'Four, live again.')
  await expect(row(page, 'Four, live again.')).toBeVisible()
  expect(await shown(page, ['One', 'Two', 'Three', 'Four'])).toEqual(['Four', 'Three', 'Two', 'One'])
  expect(await metric(writer, 'feed_gaps_total')).toBe(0)
  expect(await metric(writer, 'feed_repeats_total')).toBe(0)
})

test('[LIVE-13] a wire that falls silent without ending is noticed, and what was swallowed arrives', async ({
  newcomer,
  newTopic,
  wire,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const page = await reader.open('/', { baseURL: wire.url, serviceWorkers: 'block' })
  await page.clock.install()
  await page.reload()
  await live(page)
  const before = page.waitForRequest(STREAM)

  wire.blackHole(true)
  await writer.post(topic, 'One, into silence.')
  await page.clock.fastForward(46_000)
  await page.clock.fastForward(2_000)
  // The browser would have waited for ever: that there is another request is the watchdog's doing.
  await before
  wire.cut()
  wire.blackHole(false)
  await page.clock.fastForward(3_000)
  await expect(row(page, 'One, into silence.')).toBeVisible()
  await live(page)
  await writer.post(topic, 'Two, heard.')
  await expect(row(page, 'Two, heard.')).toBeVisible()
  expect(await shown(page, ['One', 'Two'])).toEqual(['Two', 'One'])
})

test('[READ-7] [LIVE-10] while polling, what was read on another device is read here too', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const seen = await writer.post(topic, 'Read elsewhere.')
  await writer.post(topic, 'Read nowhere.')
  const page = await reader.open('/sign-in', { serviceWorkers: 'block' })
  await page.clock.install()
  await page.route(STREAM, (route) => route.abort('connectionrefused'))
  // A page that nobody looks at reads nothing by itself, and polls once a minute.
  await page.addInitScript(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }))
  const asked = page.waitForResponse((answer) => answer.url().includes('since') && answer.ok())
  await page.goto('/')
  await connection(page, /^Connection: Polling/)
  await page.clock.fastForward(10_000)
  await asked
  const unread = (words: string) => row(page, words).getByText('Unread', { exact: true })
  await expect(unread('Read elsewhere.')).toHaveCount(1)

  await reader.call('activities.markRead', { ids: [seen.id] })
  await page.clock.fastForward(80_000)
  await expect(unread('Read elsewhere.')).toHaveCount(0)
  await expect(unread('Read nowhere.')).toHaveCount(1)
})
