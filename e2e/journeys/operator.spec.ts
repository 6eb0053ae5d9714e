import { problemsOf, widthOf } from '../fixtures/axe.ts'
import { test } from '../fixtures/operator.ts'
import { expect, type Page } from '../fixtures/people.ts'

const panel = (page: Page, name: string | RegExp) => page.getByRole('region', { name })
const deadCount = (page: Page) =>
  panel(page, 'Dead letters')
    .getByRole('link', { name: /^Dead letters: \d/ })
    .last()

test('[FEED-17] the console is for operators: a member is told so, nobody is asked to sign in', async ({
  newcomer,
  browser,
  server,
}) => {
  const member = await newcomer('max')
  const page = await member.open('/ops')
  await expect(page.getByRole('heading', { name: 'This is for operators' })).toBeVisible()
  expect((await member.api.get('/api/trpc/ops.overview')).status()).toBe(403)
  await page.goto('/')
  await expect(page.getByRole('link', { name: 'Settings' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Operator console' })).toHaveCount(0)

  const stranger = await browser.newContext({ baseURL: server.url })
  const nobody = await stranger.newPage()
  await nobody.goto('/ops/dead-letters')
  await expect(nobody).toHaveURL(/\/sign-in\?next=%2Fops%2Fdead-letters$/)
  expect((await stranger.request.get('/api/trpc/ops.overview')).status()).toBe(401)
  await stranger.close()
})

test('[FEED-17] [DLV-6] dead letters: filtered, looked into, tried out, replayed with a reason, and on record', async ({
  operator,
  newcomer,
  newTopic,
  ground,
}) => {
  const { receiver } = ground
  const author = await newcomer('author')
  const topic = await newTopic(author)
  receiver.answer(422)
  for (let n = 1; n <= 5; n++) await author.post(topic, `Poison ${n}`)

  const olga = await operator()
  const page = await olga.open('/')
  await page.getByRole('link', { name: 'Operator console' }).click()
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await expect(deadCount(page)).toHaveText('Dead letters: 5')
  const list = panel(page, 'Dead letters').getByRole('row').filter({ hasText: topic })
  await expect(list).toHaveCount(5)

  await page.getByLabel('Handler', { exact: true }).selectOption('mentions')
  await expect(page.getByText('None fits this filter.')).toBeVisible()
  await page.getByLabel('Handler', { exact: true }).selectOption('webhooks')
  await page.getByLabel('Class', { exact: true }).selectOption('permanent')
  await expect(list).toHaveCount(5)
  await page.getByLabel('Age', { exact: true }).selectOption('Older than 5 min')
  await expect(page.getByText('None fits this filter.')).toBeVisible()
  await page.getByLabel('Age', { exact: true }).selectOption('Any age')

  await page
    .getByRole('button', { name: /^Show payload of webhooks/ })
    .first()
    .click()
  await expect(page.getByRole('region', { name: 'Payload' })).toContainText('"summary": "Poison 5"')
  await expect(panel(page, '1 entry').getByText(/^422 from/)).toBeVisible()

  // One is let go; a reason is needed.
  await page.getByRole('tab', { name: 'Discard' }).click()
  await expect(page.getByRole('button', { name: 'Discard 1' })).toBeDisabled()
  await page.getByLabel('Reason, kept with the discard').fill('A test of ours')
  await page.getByRole('button', { name: 'Discard 1' }).click()
  await expect(page.getByText('1 discarded')).toBeVisible()
  await expect(deadCount(page)).toHaveText('Dead letters: 4')
  await page.getByRole('region', { name: /entr/ }).getByRole('button', { name: 'Close' }).last().click()

  // The others get another life, all together, after a look at what would happen.
  receiver.answer(204)
  await page.getByRole('button', { name: 'Replay or discard all that fit' }).click()
  await page.getByRole('button', { name: 'Dry run' }).click()
  await expect(page.getByText('4 payloads complete')).toBeVisible()
  await expect(page.getByText('None replayed before')).toBeVisible()
  await expect(deadCount(page)).toHaveText('Dead letters: 4')
  await page.getByLabel('Reason, kept with the replay').fill('The receiver is back')
  await page.getByRole('button', { name: 'Replay all' }).click()
  await expect(page.getByText('4 replayed')).toBeVisible()
  await expect.poll(() => receiver.taken.size).toBeGreaterThanOrEqual(4)
  await expect(deadCount(page)).toHaveText('Dead letters: 0')
  await page.getByRole('region', { name: 'All that fit' }).getByRole('button', { name: 'Close' }).last().click()
  const history = panel(page, 'Who did what').getByRole('listitem')
  await expect(history.filter({ hasText: `${olga.handle} replayed` })).toHaveCount(4)
  await expect(history.filter({ hasText: 'The receiver is back' })).toHaveCount(4)
  await expect(history.filter({ hasText: 'A test of ours' })).toHaveCount(1)
})

test('[FEED-17] the console goes on while Redis is away, and says so', async ({ operator, ground }) => {
  const page = await (await operator()).open('/ops')
  const pending = page.getByRole('article', { name: 'Pending', exact: true })
  await expect(pending.getByRole('link')).toBeVisible()
  await ground.redis.kill()
  await expect(page.getByText('Redis does not answer.')).toBeVisible()
  await expect(pending.getByText('not known')).toBeVisible()
  await expect(page.getByText('Dead letters are kept in Redis, which does not answer.')).toBeVisible()
  // What is known without it is still shown.
  await expect(page.getByRole('article', { name: 'Relay lag' }).getByRole('link')).toBeVisible()
  await ground.redis.restart()
  await expect(page.getByText('Redis does not answer.')).toBeHidden()
  await expect(pending.getByRole('link')).toBeVisible()
})

const SECTIONS = ['', '/groups', '/retries', '/dead-letters', '/connections', '/runbooks', '/runbooks/DLQGrowing']
const LOOKS = [
  ['wide, dark by itself', 'light', null, { width: 1440, height: 900 }],
  ['phone, light by choice', 'dark', 'light', { width: 360, height: 780 }],
] as const

for (const [name, colorScheme, chosen, viewport] of LOOKS)
  test(`[FEED-17] [FEED-19] every part of the console, ${name}: axe finds nothing, nothing scrolls sideways`, async ({
    operator,
    newcomer,
    newTopic,
    ground,
  }) => {
    const author = await newcomer('writer')
    ground.receiver.answer(422)
    await author.post(await newTopic(author), 'Something that dies')
    const page = await (await operator()).open('/sign-in', { viewport, colorScheme, reducedMotion: 'reduce' })
    if (chosen)
      await page.evaluate((theme) => localStorage.setItem('signal-feed.preferences', JSON.stringify({ theme })), chosen)
    const found: Record<string, unknown> = {}
    for (const section of SECTIONS) {
      await page.goto(`/ops${section}`)
      await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
      if (section === '/dead-letters') {
        await page
          .getByRole('button', { name: /^Show payload/ })
          .first()
          .click()
        await expect(page.getByRole('region', { name: 'Payload' })).toBeVisible()
      }
      const problems = await problemsOf(page)
      const width = await widthOf(page)
      if (problems.length > 0 || width > viewport.width) found[section] = { problems, width }
    }
    expect(found).toEqual({})
    await expect(page.locator('html')).toHaveAttribute('data-theme', chosen ?? 'dark')
  })
