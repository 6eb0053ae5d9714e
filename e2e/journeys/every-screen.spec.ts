import type { Page } from '@playwright/test'
import { problemsOf, widthOf } from '../fixtures/axe.ts'
import { expect, live, test } from '../fixtures/people.ts'

/** Every address that a signed-in person can open, and something to wait for on it. */
type Screen = [string, (page: Page) => Promise<void>]
const screensWith = (topic: string): Screen[] => [
  ['/', (page) => expect(page.getByRole('article').first()).toBeVisible()],
  ['/?filter=mentions', (page) => expect(page.getByRole('tabpanel')).toBeVisible()],
  [`/t/${topic}`, (page) => expect(page.getByRole('article').first()).toBeVisible()],
  [`/t/${topic}/settings`, (page) => expect(page.getByRole('heading', { name: 'Members' })).toBeVisible()],
  ['/topics', (page) => expect(page.getByRole('heading', { name: 'Topics', level: 1 })).toBeVisible()],
  ['/settings', (page) => expect(page.getByRole('radio', { name: 'Dark' })).toBeVisible()],
  ['/search', (page) => expect(page.getByText('What are you looking for?')).toBeVisible()],
  ['/search?q=the', (page) => expect(page.getByRole('article').first()).toBeVisible()],
  ['/search?q=zzzz', (page) => expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible()],
  ['/developers', (page) => expect(page.getByRole('list', { name: 'Your keys' })).toBeVisible()],
  ['/no/such/page', (page) => expect(page.getByText('There is no such page')).toBeVisible()],
]
const WITHOUT_ACCOUNT: Screen[] = [
  ['/sign-in', (page) => expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()],
  ['/sign-up', (page) => expect(page.getByRole('button', { name: 'Create account' })).toBeVisible()],
]

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [size, viewport] of [
    ['wide', { width: 1440, height: 900 }],
    ['phone', { width: 360, height: 780 }],
  ] as const) {
    test(`[FEED-19] axe finds nothing on any page: ${colorScheme}, ${size}`, async ({ resident, browser, server }) => {
      const options = { viewport, colorScheme, reducedMotion: 'reduce', ...(size === 'phone' ? PHONE : {}) } as const
      const problems: Record<string, string[]> = {}
      const look = async (page: Page, screens: Screen[]) => {
        for (const [address, ready] of screens) {
          await page.goto(address)
          await ready(page)
          const found = await problemsOf(page)
          if (found.length > 0) problems[address] = found
        }
      }
      const { person, topic } = await resident()
      await look(await person.open('/', options), screensWith(topic))
      const stranger = await browser.newContext({ baseURL: server.url, ...options })
      await look(await stranger.newPage(), WITHOUT_ACCOUNT)
      await stranger.close()
      expect(problems).toEqual({})
    })
  }
}

const PHONE = { hasTouch: true, isMobile: true } as const

test('[FEED-19] no screen scrolls sideways at 360 px', async ({ resident, newcomer, newTopic }) => {
  const { person, topic: own } = await resident()
  const long = await newcomer('somebody-with-a-long-handle')
  const topic = await newTopic(long, { followers: [person] })
  await long.post(topic, `${'long'.repeat(60)} https://example.org/${'path/'.repeat(40)}`)
  const page = await person.open('/', { viewport: { width: 360, height: 780 }, ...PHONE })
  await live(page)
  const wide: string[] = []
  const screens = screensWith(own)
  for (const [address, ready] of [...screens, [`/t/${topic}`, screens[0]![1]] as const]) {
    await page.goto(address)
    await ready(page)
    const width = await widthOf(page)
    if (width > 360) wide.push(`${address}: ${width}`)
  }
  expect(wide).toEqual([])
})
