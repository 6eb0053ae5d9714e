import { expect, test } from '../fixtures/people.ts'

const FIRST_LOAD_MAX_BYTES = 150_000

test('[FEED-20] the first load is at most 150 KB of gzipped JavaScript, and shows the feed without more', async ({
  resident,
}) => {
  const { person } = await resident()
  const html = await (await person.api.get('/', { headers: { accept: 'text/html' } })).text()
  const named = [...html.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map((match) => match[1]!)
  let bytes = 0
  for (const path of named) {
    const { 'content-length': length } = (
      await person.api.get(path, { headers: { 'accept-encoding': 'gzip' } })
    ).headers()
    bytes += Number(length)
  }
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_MAX_BYTES)

  // Nothing else is to be had, as on a network that is cut just then.
  const page = await person.open('/sign-in')
  await page
    .context()
    .route(/\/assets\/.*\.js$/, (route) =>
      named.includes(new URL(route.request().url()).pathname) ? route.continue() : route.abort(),
    )
  await page.goto('/')
  await expect(page.getByRole('article').first()).toBeVisible()
})
