import type { Page } from '@playwright/test'
import { expect, live, row, scrollFeed, test } from '../fixtures/people.ts'

const ITEMS = 60

const sidebar = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).first()

test('[FEED-13] going back finds the list where it was left; going there anew starts at its top', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  for (let n = 1; n <= ITEMS; n++) await writer.post(topic, `Item number ${n} of ${ITEMS}.`)
  const page = await reader.open('/')
  await live(page)
  await scrollFeed(page, 1_500)
  const seen = row(page, `Item number ${ITEMS - 25} of`)
  await expect(seen).toBeInViewport()
  const before = (await seen.boundingBox())!.y

  await sidebar(page, 'Browse topics').click()
  await expect(page.getByRole('heading', { name: 'Topics', level: 1 })).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
  await page.goBack()
  await expect.poll(async () => Math.abs(((await seen.boundingBox())?.y ?? Infinity) - before)).toBeLessThan(2)

  await page.goForward()
  await expect(page.getByRole('heading', { name: 'Topics', level: 1 })).toBeVisible()
  await sidebar(page, 'All activity').click()
  await expect(row(page, `Item number ${ITEMS} of`)).toBeInViewport()
})

test('[FEED-19] links are links: another tab by key, nothing twice in the history, a word for an unknown page', async ({
  newcomer,
}) => {
  const person = await newcomer('visitor')
  const page = await person.open('/')
  const opened = page.context().waitForEvent('page')
  await sidebar(page, 'Browse topics').click({ modifiers: ['ControlOrMeta'] })
  await expect(await opened).toHaveURL('/topics')
  await expect(page).toHaveURL('/')

  await sidebar(page, 'Browse topics').click()
  await expect(page.getByRole('heading', { name: 'Topics', level: 1 })).toBeVisible()
  await sidebar(page, 'Browse topics').click()
  await page.goBack()
  await expect(page).toHaveURL('/')

  await page.goto('/nowhere')
  await expect(page.getByText('There is no such page')).toBeVisible()
  await page.getByRole('link', { name: 'To the feed' }).click()
  await expect(page.getByRole('heading', { name: 'All activity', level: 1 })).toBeVisible()
})

test('[FEED-13] a page stays in sight until the next one is loaded', async ({ newcomer }) => {
  const person = await newcomer('visitor')
  const page = await person.open('/', { serviceWorkers: 'block' })
  const heading = page.getByRole('heading', { name: 'All activity', level: 1 })
  await expect(heading).toBeVisible()
  const release = Promise.withResolvers<void>()
  await page.route(/\/assets\/settings-page-.*\.js$/, async (route) => {
    await release.promise
    await route.continue()
  })
  const asked = page.waitForRequest(/\/assets\/settings-page-/)
  await sidebar(page, 'Settings').click()
  await asked
  await expect(page).toHaveURL('/settings')
  await expect(heading).toBeVisible()
  release.resolve()
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
})

test('[FEED-21] signing in goes back to the very address that was asked for', async ({ newcomer, browser, server }) => {
  const person = await newcomer('visitor')
  const context = await browser.newContext({ baseURL: server.url })
  const page = await context.newPage()
  const address = '/nowhere/100%25?filter=a%26b%2525'
  await page.goto(address)
  await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent(address)}`)
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(address)
  await context.close()
})
