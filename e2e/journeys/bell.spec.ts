import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, live, test } from '../fixtures/people.ts'

const bell = (page: Page, waiting: number) =>
  page.getByRole('button', { name: waiting === 0 ? 'Notifications' : `Notifications, ${waiting} unread`, exact: true })
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const problemsOf = async (page: Page) =>
  (await new AxeBuilder({ page }).withTags(RULES).analyze()).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  )
const icon = (page: Page) => page.locator('link[rel="icon"]')

test('[FEED-16] mentions and replies ring at once: bell, title and icon agree, in every tab, until they are seen', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const { id: own } = await reader.post(`user/${reader.handle}`, 'My own news.')
  await writer.call('topics.follow', { topic: `user/${reader.handle}` })
  // A page that shows no feed, so that nothing is read by being in sight.
  const page = await reader.open('/settings')
  const other = await page.context().newPage()
  await other.goto('/topics')
  await live(page)
  await live(other)
  await expect(bell(page, 0)).toBeVisible()
  await expect(icon(page)).toHaveAttribute('href', '/favicon.svg')

  await writer.post(topic, `@${reader.handle} can you look?`)
  await expect(bell(page, 1)).toBeVisible()
  await writer.call('activities.comments.add', { activity: own, text: 'Congratulations!' })
  for (const tab of [page, other]) {
    await expect(bell(tab, 2)).toBeVisible()
    await expect(tab).toHaveTitle(/^\(2\) /)
    await expect(icon(tab)).toHaveAttribute('href', '/favicon-waiting.svg')
  }
  await expect(page.getByRole('navigation').getByRole('link', { name: /^Mentions/ })).toContainText('1')

  await bell(page, 2).click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await expect(panel).toContainText(`${writer.name} commented on My own news.`)
  await expect(panel).toContainText('can you look?')
  expect(await problemsOf(page)).toEqual([])
  // The comment is seen by going to it, the mention by marking.
  await panel.getByRole('link', { name: /Congratulations!/ }).click()
  await expect(page.getByRole('region', { name: 'Comments' })).toContainText('Congratulations!')
  for (const tab of [page, other]) await expect(bell(tab, 1)).toBeVisible()
  await bell(other, 1).click()
  await other.getByRole('dialog', { name: 'Notifications' }).getByRole('button', { name: 'Mark all read' }).click()
  await other.keyboard.press('Escape')
  for (const tab of [page, other]) {
    await expect(bell(tab, 0)).toBeVisible()
    await expect(tab).toHaveTitle(/^[^(]/)
    await expect(icon(tab)).toHaveAttribute('href', '/favicon.svg')
  }
})

test('[FEED-16] a comment that is deleted no longer rings', async ({ newcomer, newTopic }) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const { id } = await writer.post(topic, 'Something.')
  const page = await reader.open('/settings')
  await live(page)
  const text = `Ask @${reader.handle}.`
  const { comment } = (await writer.call('activities.comments.add', { activity: id, text })) as {
    comment: { id: number }
  }
  await expect(bell(page, 1)).toBeVisible()
  await writer.call('activities.comments.remove', { id: comment.id })
  await expect(bell(page, 0)).toBeVisible()
})

test('[FEED-16] a note on the desktop needs consent and a hidden page, and none comes in quiet hours', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const page = await reader.open('/sign-in', { permissions: ['notifications'] })
  // What the browser would show, and a page that can be hidden at will.
  await page.addInitScript(() => {
    const shown: string[] = []
    const Fake = Object.assign(
      class {
        onclick = null
        constructor(title: string) {
          shown.push(title)
        }
        close() {}
      },
      {
        permission: 'default',
        requestPermission: async () => Object.assign(Fake, { permission: 'granted' }).permission,
      },
    )
    let hidden = false
    Object.defineProperty(document, 'visibilityState', { get: () => (hidden ? 'hidden' : 'visible') })
    Object.assign(window, { Notification: Fake, shown, hide: (on: boolean) => (hidden = on) })
  })
  await page.goto('/settings')
  await live(page)
  const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown)
  const hide = (on: boolean) =>
    page.evaluate((to) => (window as unknown as { hide: (on: boolean) => void }).hide(to), on)
  let waiting = 0
  const mention = async () => {
    await writer.post(topic, `@${reader.handle} number ${waiting}`)
    await expect(bell(page, ++waiting)).toBeVisible()
  }

  await hide(true)
  await mention()
  expect(await shown()).toEqual([])
  await hide(false)
  await page.getByText('Desktop notifications', { exact: true }).click()
  await expect(page.getByRole('switch', { name: /^Desktop/ })).toBeChecked()
  await mention()
  expect(await shown()).toEqual([])
  await hide(true)
  await mention()
  await expect.poll(shown).toEqual([`${writer.name} mentioned you in ${topic}`])
  await hide(false)
  await page.getByText('Quiet hours', { exact: true }).click()
  // The same time twice is all day.
  await page.getByLabel('From').fill('08:00')
  await page.getByLabel('To', { exact: true }).fill('08:00')
  await hide(true)
  await mention()
  expect(await shown()).toHaveLength(1)
  await hide(false)
  expect(await problemsOf(page)).toEqual([])
})
