import type { Page } from '@playwright/test'
import { expect, live, note, type Person, row, scrollFeed, test } from '../fixtures/people.ts'

/** How many the sidebar says are unread in all. */
const unreadIn = (page: Page, words: string) =>
  page.getByRole('navigation', { name: 'Topics and pages' }).getByRole('link', { name: words })

async function fill(writer: Person, topic: string, count: number) {
  for (let n = 1; n <= count; n++) await writer.post(topic, `Item number ${n} of ${count}.`)
}

test('[FEED-13] what was in sight for a moment is read, and a second tab follows', async ({ newcomer, newTopic }) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  // A second tab that shows none of the rows.
  const other = await reader.open('/settings')
  await fill(writer, topic, 3)
  await expect(unreadIn(other, topic)).toContainText('3 unread')

  const page = await other.context().newPage()
  await page.goto('/')
  await expect(row(page, 'Item number 3')).toBeVisible()
  await expect(unreadIn(page, topic)).not.toContainText('unread')
  await expect(unreadIn(other, topic)).not.toContainText('unread')
  await expect(row(page, 'Item number 3').getByText('Unread', { exact: true })).toHaveCount(0)
})

test('[FEED-13] [READ-3] mark all read empties the counts on every tab, and undo brings them back', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  await fill(writer, topic, 18)
  const other = await reader.open('/settings')
  // A tab that nobody looks at reads nothing by itself, so the counts are exact.
  const page = await other.context().newPage()
  await page.addInitScript(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }))
  await page.goto('/')
  await expect(unreadIn(page, 'All activity')).toContainText('18 unread')

  await page.getByRole('button', { name: 'Mark all read' }).click()
  await expect(note(page, 'Marked 18 as read.')).toBeVisible()
  await expect(unreadIn(page, 'All activity')).not.toContainText('unread')
  await expect(unreadIn(other, 'All activity')).not.toContainText('unread')

  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect(unreadIn(page, 'All activity')).toContainText('18 unread')
  await expect(unreadIn(other, 'All activity')).toContainText('18 unread')
})

test('[FEED-13] N goes to the next unread row, and to the unread ones when it is further down than what is loaded', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const ids: number[] = []
  for (let n = 1; n <= 70; n++) ids.push((await writer.post(topic, `Item number ${n} of 70.`)).id)
  const [unread, far] = [ids[39]!, ids[4]!]
  await reader.call('activities.markRead', { ids: ids.filter((id) => id !== unread && id !== far) })
  const page = await reader.open('/settings')
  // What nobody looks at is not read by itself.
  await page.addInitScript(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }))
  await page.goto('/')
  await expect(row(page, 'Item number 70 of 70.')).toBeVisible()
  await page.keyboard.press('n')
  await expect(row(page, 'Item number 40 of 70.')).toBeFocused()
  await page.keyboard.press('m')
  await page.getByRole('button', { name: 'Next unread' }).click()
  await expect(row(page, 'Item number 5 of 70.')).toBeVisible()
  await expect(page).toHaveURL(/filter=unread/)
})

test('[FEED-13] older pages come while scrolling, down to the end', async ({ newcomer, newTopic }) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  await fill(writer, topic, 120)
  const page = await reader.open('/')
  await live(page)
  await expect(async () => {
    await scrollFeed(page, 1_000_000)
    await expect(row(page, 'Item number 1 of 120.')).toBeVisible({ timeout: 500 })
  }).toPass()
  await expect(page.getByText('That is everything from the last 30 days.')).toBeVisible()
})

test('[FEED-13] filters: unread, mentions and one kind, kept in the address', async ({ newcomer, newTopic }) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const seen = await writer.post(topic, 'Read long ago.')
  await reader.call('activities.markRead', { ids: [seen.id] })
  await writer.post(topic, `Please look, @${reader.handle}.`)
  await writer.call('activities.publish', { topic, verb: 'deployed', summary: 'Out in the world.' })
  const page = await reader.open('/sign-in')
  // Nothing is read by being in sight here, so that what is unread stays so.
  await page.addInitScript(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }))
  const shows = async (words: RegExp[]) => {
    await expect(row(page, /Read long ago|Please look|Out in the world/)).toHaveText(words)
    await page.reload()
    await expect(row(page, /Read long ago|Please look|Out in the world/)).toHaveText(words)
  }
  await page.goto('/')
  await shows([/Out in the world/, /Please look/, /Read long ago/])
  await page.getByRole('tab', { name: /^Unread/ }).click()
  await shows([/Out in the world/, /Please look/])
  await page.getByRole('tab', { name: /^Mentions/ }).click()
  await shows([/Please look/])
  await page.goto('/?kind=deployed')
  await shows([/Out in the world/])
})
