import { rm } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { type Product, startProduct } from '#scripts/testing/product.ts'
import { FIRST_SEEDED_TOPIC, seededDataDir } from '#scripts/testing/seeded-data.ts'
import { LONG_TASK_MS, tasksDuring } from '../fixtures/main-thread.ts'
import { expect, live, row, scrollFeed, test as withPeople } from '../fixtures/people.ts'

/** Down and up again by the wheel, as long as news come. */
async function scrollAlong(page: Page, seconds: number) {
  await page.getByRole('feed').hover()
  const ends = Date.now() + seconds * 1_000
  for (let step = 0; Date.now() < ends; step++) {
    await page.mouse.wheel(0, step % 50 < 35 ? 900 : -900)
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
}

const ROWS = 10_000
const EVENTS = 100
const EVENTS_PER_SECOND = 20

/** A product of its own, with a topic that has a long history. */
const test = withPeople.extend<object, { server: Product }>({
  server: [
    async ({}, use) => {
      const dataDir = await seededDataDir({ activities: ROWS, topics: 1, people: 1 })
      const server = await startProduct({ DATA_DIR: dataDir })
      await use(server)
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 180_000 },
  ],
})

test('[FEED-20] 10,000 rows scroll with no task over 50 ms of processor time while 20 events arrive each second', async ({
  newcomer,
  browser,
}) => {
  test.setTimeout(120_000)
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = FIRST_SEEDED_TOPIC
  await reader.call('topics.follow', { topic })
  const page = await reader.open(`/t/${topic}`)
  await live(page)
  // Every page of the history, down to the end.
  await expect(async () => {
    await scrollFeed(page, 1_000_000_000)
    await expect(page.getByText('That is everything from the last 30 days.')).toBeVisible({ timeout: 50 })
  }).toPass({ intervals: [10], timeout: 90_000 })
  await expect(page.locator(`article[aria-setsize="${ROWS}"]`).first()).toBeVisible()
  await scrollFeed(page, 0)
  await expect(page.locator('article[aria-posinset="1"]')).toBeVisible()

  const tasks = await tasksDuring(browser, page, async () => {
    const scrolling = scrollAlong(page, EVENTS / EVENTS_PER_SECOND)
    const posts = Array.from({ length: EVENTS }, async (_, n) => {
      await new Promise((resolve) => setTimeout(resolve, (n * 1_000) / EVENTS_PER_SECOND))
      await writer.post(topic, `News ${n + 1} of ${EVENTS}.`)
    })
    await Promise.all([scrolling, ...posts])
  })
  await scrollFeed(page, 0)
  await expect(row(page, `News ${EVENTS} of ${EVENTS}.`)).toBeVisible()
  expect(tasks.filter((ms) => ms > LONG_TASK_MS)).toEqual([])
})
