import { compose, expect, live, row, scrollFeed, test } from '../fixtures/people.ts'

test('[FEED-13] what one person posts the other sees at once, without a reload', async ({ newcomer, newTopic }) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  const writing = await writer.open(`/t/${topic}`)
  const reading = await reader.open('/')
  await live(writing)
  await live(reading)
  // Gone after a reload.
  await reading.evaluate(() => Object.assign(window, { neverReloaded: true }))

  await compose(writing, 'The bridge is open for traffic.')

  await expect(row(writing, 'The bridge is open')).toContainText('You')
  const arrived = row(reading, 'The bridge is open')
  await expect(arrived).toBeVisible()
  await expect(arrived).toContainText(writer.name)
  await expect(arrived).toContainText(topic)
  expect(await reading.evaluate(() => 'neverReloaded' in window)).toBe(true)
})

test('[FEED-2] a private topic is not there for somebody outside: no row, no topic, no word of it', async ({
  newcomer,
  newTopic,
}) => {
  const [owner, member, outsider] = [await newcomer('owner'), await newcomer('member'), await newcomer('outsider')]
  const hidden = await newTopic(owner, { visibility: 'private', members: [member] })
  const open = await newTopic(owner, { followers: [member, outsider] })
  const inside = await member.open('/')
  const outside = await outsider.open('/')
  await live(inside)
  await live(outside)

  await owner.post(hidden, `Only for members, not for @${outsider.handle}.`)
  // The next one in the log is for both: when it is there, the one before it would be too.
  await owner.post(open, 'For everybody.')

  await expect(row(inside, 'Only for members')).toBeVisible()
  await expect(row(outside, 'For everybody')).toBeVisible()
  await expect(outside.getByText('Only for members')).toHaveCount(0)
  await expect(outside.getByText(hidden)).toHaveCount(0)
  await outside.goto(`/t/${hidden}`)
  await expect(outside.getByText('This topic does not exist, or you are not in it.')).toBeVisible()
  await outside.goto('/?filter=mentions')
  await expect(outside.getByText('Nobody needs you right now')).toBeVisible()
})

test('[FEED-2] somebody removed from a private topic gets nothing that is published a moment later', async ({
  newcomer,
  newTopic,
}) => {
  const [owner, leaver] = [await newcomer('owner'), await newcomer('leaver')]
  const hidden = await newTopic(owner, { visibility: 'private', members: [leaver] })
  const open = await newTopic(owner, { followers: [leaver] })
  const page = await leaver.open('/')
  await live(page)
  await owner.post(hidden, 'Before the goodbye.')
  await expect(row(page, 'Before the goodbye')).toBeVisible()

  await owner.call('topics.members.remove', { topic: hidden, handle: leaver.handle })
  await owner.post(hidden, 'After the goodbye.')
  await owner.post(open, 'For everybody.')

  await expect(row(page, 'For everybody')).toBeVisible()
  await expect(page.getByText('After the goodbye')).toHaveCount(0)
  await expect(page.getByRole('navigation').getByRole('link', { name: hidden })).toHaveCount(0)
  await page.reload()
  await expect(row(page, 'For everybody')).toBeVisible()
  await expect(page.getByText('the goodbye')).toHaveCount(0)
})

test('[FEED-13] while somebody reads further down, arrivals wait behind a pill and the rows stay where they are', async ({
  newcomer,
  newTopic,
}) => {
  const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
  const topic = await newTopic(writer, { followers: [reader] })
  for (let n = 1; n <= 30; n++) await writer.post(topic, `Line ${n} of the history.`)
  const page = await reader.open('/')
  await live(page)
  const anchor = row(page, 'Line 12 of the history')
  await scrollFeed(page, 900)
  await expect(anchor).toBeInViewport()
  const before = await anchor.boundingBox()

  await writer.post(topic, 'News while reading.')
  const pill = page.getByRole('button', { name: 'Show 1 new activity' })
  await expect(pill).toBeVisible()
  expect(await anchor.boundingBox()).toEqual(before)

  await pill.click()
  await expect(row(page, 'News while reading')).toBeInViewport()
  await expect(pill).toHaveCount(0)
})

test('[FEED-9] text that looks like markup or SQL is shown as text', async ({ newcomer, newTopic }) => {
  const writer = await newcomer('writer')
  const topic = await newTopic(writer)
  const page = await writer.open(`/t/${topic}`)
  await live(page)
  const alerts: string[] = []
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.dismiss()
  })
  const hostile = `<img src=x onerror=alert(1)><script>alert(2)</script> '; drop table users; -- <b>bold</b>`
  await compose(page, hostile)
  await expect(row(page, hostile)).toBeVisible()
  await page.reload()
  const shown = row(page, hostile)
  await expect(shown).toBeVisible()
  await expect(shown.locator('img[src="x"], script, b:text-is("bold")')).toHaveCount(0)
  expect(alerts).toEqual([])
})
