import type { Page } from '@playwright/test'
import { compose, expect, live, row, test } from '../fixtures/people.ts'

test('[FEED-15] what is written offline waits in sight and is sent once on return', async ({ newcomer, newTopic }) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const reading = await reader.open('/')
  const page = await writer.open(`/t/${topic}`)
  await live(reading)
  await live(page)
  await workerReady(page)

  await page.context().setOffline(true)
  await expect(page.getByRole('button', { name: 'Connection: Offline' })).toBeVisible()
  await compose(page, 'Written on the train.')
  const pending = page.getByRole('list', { name: 'Not sent yet' })
  await expect(pending).toContainText('Written on the train.')
  await expect(pending).toContainText('Waiting')
  await expect(page.getByRole('button', { name: 'Connection: Offline 1 waiting' })).toBeVisible()

  await page.context().setOffline(false)
  await expect(pending).toHaveCount(0)
  await live(page)
  await expect(row(page, 'Written on the train.')).toHaveCount(1)
  await expect(row(reading, 'Written on the train.')).toHaveCount(1)
  // Whatever was sent twice would stand before this one.
  await writer.post(topic, 'The one after it.')
  await expect(row(reading, 'The one after it.')).toBeVisible()
  await expect(row(reading, 'Written on the train.')).toHaveCount(1)
  expect(await writer.query('topics.get', { topic })).toMatchObject({ headNo: 2 })
})

test('[FEED-15] what was written offline survives a reload and is sent once on return', async ({
  newcomer,
  newTopic,
}) => {
  const writer = await newcomer('writer')
  const topic = await newTopic(writer)
  await writer.post(topic, 'Before the tunnel.')
  const page = await writer.open(`/t/${topic}`)
  await live(page)
  await workerReady(page)

  await page.context().setOffline(true)
  await compose(page, 'Written in the tunnel.')
  await expect(page.getByRole('list', { name: 'Not sent yet' })).toContainText('Written in the tunnel.')
  await page.reload()
  await expect(page.getByRole('list', { name: 'Not sent yet' })).toContainText('Written in the tunnel.')

  await page.context().setOffline(false)
  await expect(page.getByRole('list', { name: 'Not sent yet' })).toHaveCount(0)
  await expect(row(page, 'Written in the tunnel.')).toHaveCount(1)
  expect(await writer.query('topics.get', { topic })).toMatchObject({ headNo: 2 })
})

test('[FEED-14] a reload without a network shows the last feed and says that it is offline', async ({
  newcomer,
  newTopic,
}) => {
  const person = await newcomer('traveller')
  const topic = await newTopic(person)
  await person.post(topic, 'Seen before the flight.')
  const page = await person.open('/')
  await live(page)
  await expect(row(page, 'Seen before the flight.')).toBeVisible()
  await workerReady(page)

  await page.context().setOffline(true)
  await page.reload()
  await expect(row(page, 'Seen before the flight.')).toBeVisible()
  // Some Chromiums forget on a reload that they were told to be offline.
  await page.context().setOffline(false)
  await page.context().setOffline(true)
  await expect(page.getByRole('button', { name: 'Connection: Offline' })).toBeVisible()

  await page.context().setOffline(false)
  await live(page)
  await person.post(topic, 'Seen after landing.')
  await expect(row(page, 'Seen after landing.')).toBeVisible()
})

test('[FEED-14] a network that goes before everything is loaded breaks nothing: the rest comes when it is back', async ({
  newcomer,
  newTopic,
}) => {
  const writer = await newcomer('writer')
  const topic = await newTopic(writer)
  // As on the very first visit, before anything is kept in the browser.
  const page = await writer.open('/sign-in', { serviceWorkers: 'block' })
  const late = /\/assets\/composer-bar.*\.js$/
  await page.route(late, (route) => route.abort())
  await page.goto(`/t/${topic}`)
  await live(page)
  await page.context().setOffline(true)
  const composer = page.getByRole('region', { name: 'Post' })
  await composer.getByRole('textbox').fill('Typed into a page that is not all there.')
  await expect(page.getByRole('button', { name: 'Connection: Offline' })).toBeVisible()
  await expect(composer.getByRole('textbox')).toHaveValue('Typed into a page that is not all there.')

  await page.unroute(late)
  await page.context().setOffline(false)
  await composer.getByRole('button', { name: 'Post', exact: true }).click()
  await expect(row(page, 'Typed into a page that is not all there.')).toHaveCount(1)
})

test('[FEED-14] a page from before a release finds its way: a part that is gone brings the new page, not a broken one', async ({
  newcomer,
}) => {
  const reader = await newcomer('reader')
  const page = await reader.open('/sign-in', { serviceWorkers: 'block' })
  const replaced = /\/assets\/shortcuts-dialog.*\.js$/
  await page.route(replaced, (route) => route.fulfill({ status: 404 }))
  await page.goto('/')
  await live(page)
  const reloaded = page.waitForEvent('load')
  await page.keyboard.press('?')
  await reloaded
  await page.unroute(replaced)
  await live(page)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toBeVisible()
})

/** From then on everything that the product is made of is kept in the browser. */
const workerReady = (page: Page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready
  })

test('[FEED-14] a server that is killed and comes back: the feed says so, and nothing is lost or repeated', async ({
  newcomer,
  newTopic,
  server,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const page = await reader.open('/')
  await live(page)
  await writer.post(topic, 'Before the crash.')
  await expect(row(page, 'Before the crash.')).toBeVisible()

  await server.kill()
  await expect(page.getByRole('button', { name: /^Connection: (Polling|Offline|Connecting)/ })).toBeVisible()
  await expect(row(page, 'Before the crash.')).toBeVisible()
  await server.restart()
  await writer.post(topic, 'After the crash.')

  await expect(row(page, 'After the crash.')).toBeVisible({ timeout: 30_000 })
  await expect(row(page, 'After the crash.')).toHaveCount(1)
  await expect(row(page, 'Before the crash.')).toHaveCount(1)
})
