import { expect, live, note, row, test } from '../fixtures/people.ts'

test('[FEED-2] somebody creates a private topic and adds a member, who can open it until removed', async ({
  newcomer,
}) => {
  const [owner, guest] = [await newcomer('owner'), await newcomer('guest')]
  const name = `team/${owner.handle}`
  const page = await owner.open('/')
  await page.getByRole('button', { name: 'New topic' }).click()
  const dialog = page.getByRole('dialog', { name: 'New topic' })
  await dialog.getByLabel('Name').fill('No Slash')
  await dialog.getByRole('button', { name: 'Create topic' }).click()
  await expect(dialog.getByText('Use kind/name in lower case')).toBeVisible()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Description').fill('What the team does.')
  await dialog.getByRole('radio', { name: /^Private/ }).check()
  await dialog.getByRole('button', { name: 'Create topic' }).click()
  await expect(page).toHaveURL(`/t/${name}`)
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()

  const visiting = await guest.open('/')
  await live(visiting)
  await page.getByRole('main').getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Add somebody').fill(guest.handle)
  await page.getByRole('option', { name: guest.name }).click()
  await expect(note(page, `${guest.name} is in this topic now.`)).toBeVisible()

  await visiting.goto(`/t/${name}`)
  await expect(visiting.getByRole('heading', { name, level: 1 })).toBeVisible()
  await page.getByRole('button', { name: `Remove ${guest.name}` }).click()
  await expect(note(page, `${guest.name} is no longer in this topic.`)).toBeVisible()
  await visiting.reload()
  await expect(visiting.getByText('This topic does not exist, or you are not in it.')).toBeVisible()
})

test('[FEED-2] following brings a topic into the sidebar, muting sets it apart, unfollowing takes it out', async ({
  newcomer,
  newTopic,
}) => {
  const [owner, reader] = [await newcomer('owner'), await newcomer('reader')]
  const topic = await newTopic(owner)
  await owner.post(topic, 'The first one.')
  const page = await reader.open('/topics')
  await page.getByLabel('Filter topics').fill(topic)
  await page.getByRole('button', { name: 'Follow', exact: true }).click()
  const sidebar = page.getByRole('navigation', { name: 'Topics and pages' })
  await sidebar.getByRole('link', { name: topic }).click()
  await expect(row(page, 'The first one.')).toBeVisible()

  await page
    .getByRole('button', { name: /Follow options|Following/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: /^Mute/ }).click()
  await expect(sidebar.getByRole('heading', { name: 'Muted' })).toBeVisible()
  await page
    .getByRole('button', { name: /Follow options|Muted/ })
    .first()
    .click()
  await page.getByRole('menuitem', { name: /^Unfollow/ }).click()
  await expect(sidebar.getByRole('link', { name: topic })).toHaveCount(0)
})

test('[FEED-19] what is chosen in the settings is kept: theme, density and name', async ({ newcomer }) => {
  const person = await newcomer('chooser')
  const page = await person.open('/settings')
  await page.getByText('Dark', { exact: true }).click()
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
  await page.getByText('Compact', { exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('Another Name')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(note(page, 'Saved.')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('radio', { name: 'Dark' })).toBeChecked()
  await expect(page.getByRole('radio', { name: 'Compact' })).toBeChecked()
  await expect.poll(() => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Another Name')
})
