import { expect, note, test } from '../fixtures/people.ts'

test('[FEED-18] an endpoint is added, tried, looked into, paused and removed from the page', async ({
  newcomer,
  newTopic,
}) => {
  const owner = await newcomer('hooker')
  const topic = await newTopic(owner)
  const page = await owner.open('/developers')
  await expect(page.getByText('No endpoints yet')).toBeVisible()
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  const form = page.getByRole('dialog', { name: 'Add endpoint' })
  await form.getByRole('radio', { name: topic, exact: true }).check()
  // Over plain http everybody on the way could read it.
  await form.getByLabel('Address').fill('http://example.com/hook')
  await form.getByRole('button', { name: 'Add endpoint' }).click()
  await expect(form.getByText('Use https, so that nobody reads along.')).toBeVisible()
  await form.getByLabel('Address').fill('https://example.com/hook')
  await form.getByRole('button', { name: 'Add endpoint' }).click()
  const ready = page.getByRole('dialog', { name: 'The endpoint is ready' })
  await expect(ready.getByText(/^whsec_/)).toBeVisible()
  await ready.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: /example\.com\/hook/ }).click()
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByRole('button', { name: 'Delivery of Test' }).click()
  const delivery = page.getByRole('dialog', { name: 'Delivery of Test' })
  await expect(delivery.getByText('"type": "test"')).toBeVisible()
  // No edge runs beside this product, so it waits for one.
  await expect(delivery.getByText('It was not sent yet.')).toBeVisible()
  await expect(delivery.getByRole('button', { name: 'Send again' })).toBeDisabled()
  await delivery.getByRole('button', { name: 'Done' }).click()

  await page.getByRole('button', { name: 'Pause', exact: true }).first().click()
  await expect(page.getByText('You have paused it. Nothing is sent.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send a test' })).toBeDisabled()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(note(page, 'The endpoint is removed.')).toBeVisible()
  await expect(page.getByText('No endpoints yet')).toBeVisible()
})

test('[FEED-18] what a tool asks appears on the page while one looks', async ({ newcomer, newTopic, server }) => {
  const owner = await newcomer('watcher')
  const topic = await newTopic(owner)
  const { secret } = (await owner.call('apiKeys.create', { name: 'Build server', topics: [topic] })) as {
    secret: string
  }
  const page = await owner.open('/developers')
  await expect(page.getByText('No requests yet')).toBeVisible()
  const ask = (body: unknown) =>
    fetch(`${server.url}/api/ingest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await ask({ topic, verb: 'deployed' })
  await ask({ topic: 'project/elsewhere', verb: 'deployed' })
  const log = page.getByRole('list', { name: 'Requests of your tools, newest first' })
  await expect(log.getByRole('listitem')).toHaveCount(2)
  await expect(log).toContainText('201')
  await expect(log).toContainText('This key may not publish to this topic.')
})
