import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, live, note, row, test } from '../fixtures/people.ts'

const thread = (page: Page, words: string) => row(page, words).getByRole('region', { name: 'Comments' })
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const problemsOf = async (page: Page) =>
  (await new AxeBuilder({ page }).withTags(RULES).analyze()).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  )

test('[FEED-3] a reaction shows at once and in the other browser, counts people, and is taken back the same way', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const { id } = await writer.post(topic, 'The bridge is open.')
  const [writing, reading] = [await writer.open(`/t/${topic}`), await reader.open('/')]
  await live(writing)
  await live(reading)

  await row(reading, 'The bridge is open').hover()
  await row(reading, 'The bridge is open').getByRole('button', { name: 'React' }).click()
  await reading.getByRole('button', { name: 'Party' }).click()
  const own = row(reading, 'The bridge is open').getByRole('button', { name: '🎉 1' })
  await expect(own).toHaveAttribute('aria-pressed', 'true')
  const seen = row(writing, 'The bridge is open').getByRole('button', { name: '🎉 1' })
  await expect(seen).toHaveAttribute('aria-pressed', 'false')

  await seen.click()
  await expect(row(reading, 'The bridge is open').getByRole('button', { name: '🎉 2' })).toBeVisible()
  await row(reading, 'The bridge is open').getByRole('button', { name: '🎉 2' }).click()
  await expect(row(writing, 'The bridge is open').getByRole('button', { name: '🎉 1' })).toBeVisible()
  await reading.reload()
  await expect(row(reading, 'The bridge is open').getByRole('button', { name: '🎉 1' })).toHaveAttribute(
    'aria-pressed',
    'false',
  )
  const stored = (await reader.query('activities.get', { id })) as { talk: object }
  expect(stored.talk).toMatchObject({ reactions: [{ emoji: '🎉', count: 1 }], own: { emoji: null } })
})

test('[FEED-15] a reaction that the server refuses is taken back and said', async ({ newcomer, newTopic }) => {
  const person = await newcomer('refused')
  const topic = await newTopic(person)
  await person.post(topic, 'Nobody may like this.')
  const page = await person.open(`/t/${topic}`)
  await live(page)
  let refuse: () => void = () => {}
  const refusing = new Promise<void>((resolve) => {
    refuse = resolve
  })
  await page.route('**/api/trpc/activities.react**', async (route) => {
    await refusing
    const error = { code: 'NOT_ALLOWED', message: 'Not today.' }
    const data = { code: 'FORBIDDEN', httpStatus: 403, error }
    await route.fulfill({ status: 403, json: [{ error: { code: -32003, message: error.message, data } }] })
  })
  await row(page, 'Nobody may like this').hover()
  await row(page, 'Nobody may like this').getByRole('button', { name: 'React' }).click()
  await page.getByRole('button', { name: 'Rocket' }).click()
  const chip = row(page, 'Nobody may like this').getByRole('button', { name: '🚀 1' })
  await expect(chip).toBeVisible()
  refuse()
  await expect(chip).toHaveCount(0)
  await expect(note(page, 'This was not saved. Not today.')).toBeVisible()
})

test('[FEED-3] comments, answers, edits and deletions are in both browsers without a reload', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  await writer.post(topic, 'Shall we ship it?')
  const [writing, reading] = [await writer.open(`/t/${topic}`), await reader.open('/')]
  await live(writing)
  await live(reading)

  // By keyboard alone.
  await reading.keyboard.press('j')
  await expect(row(reading, 'Shall we ship it')).toBeFocused()
  await reading.keyboard.press('r')
  const field = thread(reading, 'Shall we ship it').getByRole('textbox', { name: 'Write a comment' })
  await expect(field).toBeFocused()
  await reading.keyboard.type(`Not before @${writer.handle}`)
  await expect(reading.getByRole('option', { name: writer.handle })).toBeVisible()
  await reading.keyboard.press('Enter')
  await reading.keyboard.type('has looked.')
  await reading.keyboard.press('Control+Enter')
  await expect(thread(reading, 'Shall we ship it').getByText('has looked.')).toBeVisible()

  await row(writing, 'Shall we ship it').getByRole('button', { name: '1 comment' }).click()
  const theirs = thread(writing, 'Shall we ship it')
  await expect(theirs).toContainText(`Not before @${writer.handle} has looked.`)
  await theirs.getByRole('button', { name: `Reply to ${reader.name}` }).click()
  await theirs.getByRole('textbox', { name: `Reply to ${reader.name}` }).fill('Looked. Ship it.')
  await theirs.getByRole('button', { name: 'Comment', exact: true }).click()
  const mine = thread(reading, 'Shall we ship it')
  await expect(mine).toContainText('Looked. Ship it.')
  await expect(row(reading, 'Shall we ship it').getByRole('button', { name: '2 comments' })).toBeVisible()

  await mine.getByRole('button', { name: 'More about this comment' }).first().click()
  await reading.getByRole('menuitem', { name: 'Edit' }).click()
  await mine.getByRole('textbox', { name: 'Edit' }).fill('Only after a look.')
  await mine.getByRole('button', { name: 'Save' }).click()
  await expect(theirs).toContainText('Only after a look.')
  await expect(theirs).toContainText('edited')

  // An owner of the topic may delete what others wrote; the answer keeps its place.
  await theirs.getByRole('button', { name: 'More about this comment' }).first().click()
  await writing.getByRole('menuitem', { name: 'Delete' }).click()
  await theirs.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(mine.getByText('Only after a look.')).toHaveCount(0)
  await expect(mine).toContainText('Deleted')
  await expect(mine).toContainText('Looked. Ship it.')
  await expect(row(reading, 'Shall we ship it').getByRole('button', { name: '1 comment' })).toBeVisible()
  expect(await problemsOf(reading)).toEqual([])
})

test('[FEED-3] an activity has a page of its own, live, and none for somebody outside', async ({
  newcomer,
  newTopic,
}) => {
  const [owner, member, outsider] = [await newcomer('owner'), await newcomer('member'), await newcomer('outsider')]
  const hidden = await newTopic(owner, { visibility: 'private', members: [member] })
  const { id } = await owner.post(hidden, 'Between us.')
  const page = await member.open(`/a/${id}`, { colorScheme: 'dark' })
  await live(page)
  await expect(page.getByRole('article')).toContainText('Between us.')
  await owner.call('activities.comments.add', { activity: id, text: 'A word about it.' })
  await owner.call('activities.react', { id, emoji: '👀' })
  await expect(page.getByRole('region', { name: 'Comments' })).toContainText('A word about it.')
  await expect(page.getByRole('button', { name: '👀 1' })).toBeVisible()
  expect(await problemsOf(page)).toEqual([])

  const outside = await outsider.open(`/a/${id}`)
  await expect(outside.getByText('This activity does not exist, or you may not see it.')).toBeVisible()
  await expect(outside.getByText('Between us')).toHaveCount(0)
})
