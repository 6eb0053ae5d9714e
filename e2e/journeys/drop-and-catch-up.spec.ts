import { expect, live, row, test } from '../fixtures/cut.ts'

test('[FEED-14] a cut connection is said, and what was missed arrives once and in order when it is back', async ({
  newcomer,
  newTopic,
  network,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const page = await reader.open('/', { baseURL: network.url })
  await live(page)
  await writer.post(topic, 'Part 1 of the story.')
  await expect(row(page, 'Part 1')).toBeVisible()

  network.cut()
  await expect(page.getByRole('button', { name: /^Connection: (Polling|Connecting|Offline)/ })).toBeVisible()
  for (const part of [2, 3, 4]) await writer.post(topic, `Part ${part} of the story.`)
  await expect(row(page, 'of the story.')).toHaveCount(1)

  network.mend()
  await expect(row(page, 'of the story.')).toHaveText([/Part 4/, /Part 3/, /Part 2/, /Part 1/], { timeout: 45_000 })
  await writer.post(topic, 'Part 5 of the story.')
  await expect(row(page, 'of the story.')).toHaveText([/Part 5/, /Part 4/, /Part 3/, /Part 2/, /Part 1/], {
    timeout: 45_000,
  })
  // Live again by itself, without anybody's help.
  await expect(page.getByRole('button', { name: 'Connection: Live' })).toBeVisible({ timeout: 45_000 })
})
