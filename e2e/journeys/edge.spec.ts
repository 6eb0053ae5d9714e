import type { Page } from '@playwright/test'
import { expect, row, test } from '../fixtures/edge.ts'

const PATIENCE = { timeout: 90_000 }

/** Opens the panel behind the pill and waits until it names the way that is in use. */
async function uses(page: Page, way: 'Edge' | 'Server') {
  const pill = page.getByRole('button', { name: /^Connection:/ })
  await expect(pill).toHaveAccessibleName(/Live/, PATIENCE)
  await pill.click()
  await expect(page.getByRole('listitem').filter({ hasText: `${way}, in use` })).toBeVisible(PATIENCE)
  await page.keyboard.press('Escape')
}

test.describe('by way of the edge', () => {
  test.setTimeout(240_000)

  test('[LIVE-11] edge, killed: server, back: edge; what was published is on screen, in order and once', async ({
    newcomer,
    newTopic,
    network,
    edge,
  }) => {
    const [writer, reader] = [await newcomer('writer'), await newcomer('reader')]
    const topic = await newTopic(writer, { followers: [reader] })
    const page = await reader.open('/', { baseURL: network.url })
    const published: number[] = []
    const post = async (part: number) => {
      published.unshift(part)
      await writer.post(topic, `Part ${part} of the story.`)
    }
    const showsAll = () =>
      expect(row(page, 'of the story.')).toHaveText(
        published.map((part) => new RegExp(`Part ${part} `)),
        PATIENCE,
      )
    await uses(page, 'Edge')
    for (const part of [1, 2]) await post(part)
    await showsAll()
    edge.kill()
    await uses(page, 'Server')
    for (const part of [3, 4]) await post(part)
    await showsAll()
    edge.revive()
    // The breaker would try again by itself within a minute or two; a network that comes back is tried at once.
    await page.evaluate(() => {
      for (const name of ['offline', 'online']) window.dispatchEvent(new Event(name))
    })
    await uses(page, 'Edge')
    for (const part of [5, 6]) await post(part)
    await showsAll()
  })

  test('[FEED-2] rights that were withdrawn end what comes by the edge', async ({ newcomer, newTopic }) => {
    const [owner, member] = [await newcomer('owner'), await newcomer('member')]
    const secret = await newTopic(owner, { visibility: 'private', members: [member], followers: [member] })
    const open = await newTopic(owner, { followers: [member] })
    const page = await member.open('/')
    await uses(page, 'Edge')
    await owner.post(secret, 'Between us.')
    await expect(row(page, 'Between us.')).toBeVisible(PATIENCE)
    await owner.call('topics.members.remove', { topic: secret, handle: member.handle })
    await owner.post(secret, 'No longer between us.')
    await owner.post(open, 'For everybody.')
    await expect(row(page, 'For everybody.')).toBeVisible(PATIENCE)
    // What was seen leaves the screen, and what came after it never arrives.
    await expect(row(page, /between us/i)).toHaveCount(0, PATIENCE)
  })
})
