import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, live, note, row, test } from '../fixtures/people.ts'

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const problemsOf = async (page: Page) =>
  (await new AxeBuilder({ page }).withTags(RULES).analyze()).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  )

async function choose(page: Page, words: string, entry: string): Promise<void> {
  await row(page, words).hover()
  await row(page, words).getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

const unread = (page: Page, topic: string) =>
  page.getByRole('navigation').getByRole('link', { name: new RegExp(`${topic}.*unread`) })

test('[FEED-3] an edit is in both browsers without a reload, marked as one, also by keyboard', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const mine = await reader.post(topic, 'The brigde is open.')
  const [reading, owning] = [await reader.open('/'), await writer.open(`/t/${topic}`)]
  await live(reading)
  await live(owning)

  await choose(reading, 'The brigde is open', 'Edit')
  const field = reading.getByRole('textbox', { name: 'Edit the words' })
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('The brigde is open.')
  expect(await problemsOf(reading)).toEqual([])
  await field.fill('The bridge is open.')
  await field.press('Control+Enter')
  await expect(row(reading, 'The bridge is open').getByText('edited', { exact: true })).toBeVisible()
  await expect(row(owning, 'The bridge is open').getByText('edited', { exact: true })).toBeVisible()
  expect(await reader.query('activities.get', { id: mine.id })).toMatchObject({ summary: 'The bridge is open.' })

  // An owner of the topic may as well, and whose words they are stays visible. Escape leaves everything as it was.
  await choose(owning, 'The bridge is open', 'Edit')
  const owners = owning.getByRole('textbox', { name: 'Edit the words' })
  await owners.fill('Closed.')
  await owners.press('Escape')
  await expect(row(owning, 'The bridge is open')).toBeVisible()
  await choose(owning, 'The bridge is open', 'Edit')
  await owners.fill('The bridge is open again.')
  await owning.getByRole('button', { name: 'Save' }).click()
  await expect(row(reading, 'The bridge is open again').getByText(`edited by ${writer.name}`)).toBeVisible()
})

test('[FEED-3] [READ-5] what is deleted in front of somebody leaves a line that keeps its place, and every count', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  await writer.post(topic, 'The first one stays.')
  const { id } = await writer.post(topic, `A secret that slipped out, @${reader.handle}.`)
  await writer.post(topic, 'The last one stays.')
  const [reading, writing] = [await reader.open('/settings'), await writer.open(`/t/${topic}`)]
  await live(writing)
  await expect(unread(reading, topic)).toHaveAccessibleName(/3 unread/)

  // Counts fall where the row is not even loaded.
  await writer.call('activities.comments.add', { activity: id, text: `@${reader.handle}, ignore this.` })
  await choose(writing, 'A secret that slipped out', 'Delete')
  expect(await problemsOf(writing)).toEqual([])
  await writing.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  const list = await reader.open('/')
  await live(list)
  const tomb = list.getByRole('article').filter({ hasText: 'Deleted by its author' })
  const before = await row(list, 'A secret that slipped out').boundingBox()
  const below = await row(list, 'The first one stays').boundingBox()
  await choose(writing, 'A secret that slipped out', 'Delete')
  await writing.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(row(writing, 'A secret that slipped out')).toHaveCount(0)
  await expect(writing.getByText('Deleted by its author')).toHaveCount(0)

  await expect(tomb).toBeVisible()
  expect(await tomb.boundingBox()).toEqual(before)
  expect(await row(list, 'The first one stays').boundingBox()).toEqual(below)
  expect(await problemsOf(list)).toEqual([])
  await expect(list.locator('body')).not.toContainText('slipped out')
  await expect(reading.getByRole('button', { name: /Mentions.*unread/ })).toHaveCount(0)

  // By itself it says so, and a list that is opened later has no trace of it.
  await list
    .getByRole('link', { name: 'Mentions' })
    .or(list.getByRole('tab', { name: 'Mentions' }))
    .first()
    .click()
  await expect(tomb).toHaveCount(0)
  await list.goto(`/a/${id}`)
  await expect(list.getByRole('heading', { name: /does not exist/ })).toBeVisible()
  await list.goto('/')
  await expect(row(list, 'The last one stays')).toBeVisible()
  await expect(tomb).toHaveCount(0)
})

test('[FEED-15] a deletion that the server refuses is taken back and said', async ({ newcomer, newTopic }) => {
  const person = await newcomer('refused')
  const topic = await newTopic(person)
  await person.post(topic, 'Here to stay.')
  const page = await person.open(`/t/${topic}`)
  await live(page)
  const { promise: refusing, resolve: refuse } = Promise.withResolvers<void>()
  await page.route('**/api/trpc/activities.delete**', async (route) => {
    await refusing
    const error = { code: 'NOT_ALLOWED', message: 'Not today.' }
    const data = { code: 'FORBIDDEN', httpStatus: 403, error }
    await route.fulfill({ status: 403, json: [{ error: { code: -32003, message: error.message, data } }] })
  })
  await choose(page, 'Here to stay', 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(row(page, 'Here to stay')).toHaveCount(0)
  refuse()
  await expect(row(page, 'Here to stay')).toBeVisible()
  await expect(note(page, 'This was not saved. Not today.')).toBeVisible()
})
