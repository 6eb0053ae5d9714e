import { expect, live, row, test } from '../fixtures/people.ts'

test('[FEED-19] the feed by keyboard: move, open, mark, post, search, go to a topic, list the keys', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  await writer.post(topic, 'The older one.')
  await writer.call('activities.publish', {
    topic,
    verb: 'opened',
    object: { type: 'issue', id: '7', title: 'A loose bolt', url: 'https://example.org/7' },
    summary: 'The newer one.',
  })
  const elsewhere = await newTopic(writer, { followers: [reader] })
  const page = await reader.open(`/t/${topic}`)
  await live(page)
  const [newer, older] = [row(page, 'The newer one.'), row(page, 'The older one.')]
  await expect(older).toBeVisible()

  await page.keyboard.press('j')
  await expect(newer).toBeFocused()
  await page.keyboard.press('j')
  await expect(older).toBeFocused()
  await page.keyboard.press('k')
  await expect(newer).toBeFocused()

  const unread = newer.getByText('Unread', { exact: true })
  await expect(unread).toHaveCount(0)
  await page.keyboard.press('m')
  await expect(unread).toHaveCount(1)
  await page.context().route('https://example.org/**', (route) => route.fulfill({ body: 'elsewhere' }))
  const popup = page.waitForEvent('popup')
  await page.keyboard.press('Enter')
  await expect(await popup).toHaveURL('https://example.org/7')
  await page.bringToFront()
  await expect(unread).toHaveCount(0)

  await page.keyboard.press('c')
  const field = page.getByRole('region', { name: 'Post' }).getByRole('textbox')
  await expect(field).toBeFocused()
  // While one writes, letters are letters.
  await page.keyboard.type('jkm from the keys')
  await expect(field).toHaveValue('jkm from the keys')
  await page.keyboard.press('Control+Enter')
  await expect(row(page, 'jkm from the keys')).toBeVisible()
  await page.keyboard.press('Escape')

  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox', { name: 'Search activities and topics' })).toBeFocused()
  await page.getByRole('main').focus()
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox', { name: 'Search activities and topics' })).toBeFocused()
  await page.getByRole('main').focus()
  await page.keyboard.press('g')
  await expect(page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox')).toBeFocused()
  await page.keyboard.type(elsewhere)
  await expect(page.getByRole('option', { name: elsewhere, selected: true })).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/t/${elsewhere}`)
})
