import { expect, live, test } from '../fixtures/people.ts'

test('[FEED-7] searching while typing: marks, older pages, topics, and the way back', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('author'), await newcomer('seeker')]
  const topic = await newTopic(writer)
  const secret = await newTopic(writer, { visibility: 'private' })
  const word = `quokka${reader.handle.replace(/\D/g, '')}`
  for (let no = 1; no <= 23; no++) await writer.post(topic, `Sighting ${no} of a ${word}s <b>there</b>.`)
  await writer.post(secret, `A hidden ${word}.`)

  const page = await reader.open('/')
  await live(page)
  await page.keyboard.press('/')
  const field = page.getByRole('searchbox', { name: 'Search activities and topics' })
  await expect(field).toBeFocused()
  await page.keyboard.type(word)
  const results = page.getByRole('region', { name: 'Activities' })
  await expect(results.getByRole('article')).toHaveCount(20)
  await expect(page).toHaveURL(`/search?q=${word}`)
  await expect(results.getByRole('article').first()).toContainText(`Sighting 23 of a ${word}s <b>there</b>.`)
  await expect(results.getByRole('article').first().locator('mark')).toHaveText(`${word}s`)
  await results.getByRole('button', { name: 'Show older' }).click()
  await expect(results.getByRole('article')).toHaveCount(23)
  await expect(results).not.toContainText('hidden')

  await field.fill(`${word} 23`)
  await expect(results.getByRole('article')).toHaveCount(1)
  await field.fill('zzz nothing at all')
  await expect(page.getByRole('heading', { name: 'Nothing found for "zzz nothing at all"' })).toBeVisible()
  await field.fill(topic.split('/')[1]!)
  await page.getByRole('region', { name: 'Topics' }).getByRole('link', { name: topic, exact: true }).click()
  await expect(page).toHaveURL(`/t/${topic}`)
  await page.goBack()
  await expect(field).toHaveValue(topic.split('/')[1]!)
})

test('[FEED-7] words that are no longer wanted are not waited for, and a failure says so and is tried again', async ({
  newcomer,
  newTopic,
}) => {
  const person = await newcomer('typist')
  const topic = await newTopic(person)
  await person.post(topic, 'Numbat in the garden.')
  const page = await person.open('/search')
  const field = page.getByRole('searchbox')
  await expect(field).toBeFocused()

  // The first answer never comes.
  await page.route(/search\.query.*slow/, () => {})
  const given = page.waitForEvent('requestfailed', (request) => request.url().includes('slow'))
  const asked = page.waitForRequest(/search\.query.*slow/)
  await field.fill('slow')
  await asked
  await field.fill('numbat')
  expect((await given).failure()?.errorText).toContain('ERR_ABORTED')
  await expect(page.getByRole('article')).toContainText('Numbat in the garden.')

  await page.route(/search\.query.*garden/, (route) => route.fulfill({ status: 400, body: '{}' }))
  await field.fill('garden')
  const failure = page.getByRole('alert').filter({ hasText: 'The search did not work.' })
  await expect(failure).toBeVisible()
  await page.unrouteAll()
  await failure.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('article')).toContainText('Numbat in the garden.')
})
