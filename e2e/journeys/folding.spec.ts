import type { Page } from '@playwright/test'
import { expect, live, type Person, row, test } from '../fixtures/people.ts'

const comment = (person: Person, topic: string, summary: string) =>
  person.call('activities.publish', {
    ...{ topic, verb: 'commented', summary, groupKey: 'issue 42' },
    object: { type: 'issue', id: '42', title: '#42 Late beats' },
  })
const articles = (page: Page) => page.getByRole('feed', { name: 'Activities' }).getByRole('article')

test('[FEED-4] comments on one thing are one row that opens, by mouse and by keyboard, and stays as it is while more arrive', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, other, reader] = [await newcomer('writer'), await newcomer('other'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [other, reader] })
  await comment(writer, topic, 'It is the clock.')
  await comment(other, topic, 'It is the network.')
  const page = await reader.open(`/t/${topic}`)
  await live(page)

  const fold = articles(page).filter({ hasText: '#42 Late beats' })
  await expect(fold).toHaveCount(1)
  await expect(fold).toContainText(`${other.name} and 1 other commented on #42 Late beats`)
  // At rest an arrival joins the fold.
  await comment(writer, topic, 'It was DNS.')
  await expect(fold.getByRole('button', { name: 'Show all 3' })).toBeVisible()
  await expect(fold).toHaveCount(1)

  await fold.getByRole('button', { name: 'Show all 3' }).click()
  await expect(articles(page)).toHaveCount(3)
  await expect(row(page, 'It is the clock.')).toBeVisible()
  // While it is open nothing moves: what arrives waits.
  await comment(other, topic, 'It is always DNS.')
  await expect(page.getByRole('button', { name: 'Show 1 new activity' })).toBeVisible()
  await expect(articles(page)).toHaveCount(3)
  await page.getByRole('button', { name: 'Show 1 new activity' }).click()
  await expect(articles(page)).toHaveCount(4)
  await expect(row(page, 'It is always DNS.')).toBeVisible()

  await page.getByRole('button', { name: 'Fold' }).click()
  await expect(articles(page)).toHaveCount(1)
  await articles(page).first().focus()
  await page.keyboard.press('Enter')
  await expect(articles(page)).toHaveCount(4)
})

test('[FEED-4] a fold that was in sight is read as a whole, and filters fold what they show', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, other, reader] = [await newcomer('writer'), await newcomer('other'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [other, reader] })
  for (const person of [writer, other, writer]) await comment(person, topic, 'A word.')
  await writer.post(topic, 'Something else.')
  const unread = async () => ((await reader.query('activities.unreadCounts')) as { total: number }).total
  expect(await unread()).toBe(4)
  const page = await reader.open(`/t/${topic}?kind=commented`)
  await live(page)
  await expect(articles(page)).toHaveCount(1)
  await expect(articles(page).getByRole('button', { name: 'Show all 3' })).toBeVisible()
  await expect.poll(unread).toBe(1)
  await articles(page)
    .first()
    .click({ position: { x: 200, y: 12 } })
  await page.keyboard.press('m')
  await expect.poll(unread).toBe(4)
})
