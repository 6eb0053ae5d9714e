import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, live, note, row, test } from '../fixtures/people.ts'

const run = promisify(execFile)

test('[FEED-10] somebody makes a key, a pasted line publishes live, and a revoked key no longer works', async ({
  newcomer,
  newTopic,
}) => {
  const [owner, reader] = [await newcomer('maker'), await newcomer('reader')]
  const topic = await newTopic(owner, { followers: [reader] })
  const watching = await reader.open('/')
  await live(watching)

  const page = await owner.open('/settings')
  await page.getByRole('link', { name: 'Keys and webhooks' }).click()
  await expect(page.getByText('No keys yet')).toBeVisible()
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New key' })
  await dialog.getByLabel('Name').fill('Build server')
  await dialog.getByRole('checkbox', { name: topic }).check()
  await dialog.getByRole('button', { name: 'Make key' }).click()
  const ready = page.getByRole('dialog', { name: 'Build server is ready' })
  const line = await ready.locator('code').filter({ hasText: 'curl' }).innerText()
  // Nothing closes it by mistake.
  await page.keyboard.press('Escape')
  await ready.getByRole('button', { name: 'Done' }).click()
  await expect(ready).toBeHidden()

  const { stdout } = await run('sh', ['-c', line])
  expect(JSON.parse(stdout).activities).toHaveLength(1)
  await expect(row(watching, 'Hello from the terminal.')).toContainText('Build server deployed my service 1.0')

  await page.reload()
  const keys = page.getByRole('list', { name: 'Your keys' })
  await expect(keys).toContainText('last used')
  await page.getByRole('button', { name: 'Revoke Build server' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(note(page, 'Build server is revoked.')).toBeVisible()
  await expect(page.getByText('No keys yet')).toBeVisible()
  expect(JSON.parse((await run('sh', ['-c', line])).stdout).error.code).toBe('BAD_KEY')
})

test('[FEED-11] a GitHub source is set up from the page, and a signed delivery appears live', async ({
  newcomer,
  newTopic,
}) => {
  const owner = await newcomer('octo')
  const topic = await newTopic(owner)
  await newTopic(owner)
  const page = await owner.open('/developers')
  await page.getByRole('button', { name: 'New key' }).click()
  const dialog = page.getByRole('dialog', { name: 'New key' })
  await dialog.getByRole('radio', { name: /GitHub/ }).check()
  await dialog.getByLabel('Name').fill('hello-world')
  await dialog.getByRole('radio', { name: topic, exact: true }).check()
  await dialog.getByRole('button', { name: 'Make key' }).click()
  const codes = page.getByRole('dialog', { name: 'hello-world is ready' }).locator('code')
  const [address, secret] = [await codes.nth(0).innerText(), await codes.nth(1).innerText()]

  const watching = await owner.open('/')
  await live(watching)
  const body = JSON.stringify({
    action: 'opened',
    issue: { number: 7, title: 'Late beats', html_url: 'https://github.example/o/hello/issues/7', body: 'They are.' },
    repository: { full_name: 'o/hello', html_url: 'https://github.example/o/hello' },
    sender: { login: 'octocat' },
  })
  const send = (signature: string) =>
    fetch(address, {
      method: 'POST',
      headers: { 'x-github-event': 'issues', 'x-github-delivery': 'one', 'x-hub-signature-256': signature },
      body,
    })
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  expect((await send(signature.replace(/.$/, '-'))).status).toBe(401)
  expect((await send(signature)).status).toBe(201)
  await expect(row(watching, 'They are.')).toContainText('octocat opened #7 Late beats')
  await expect(watching.getByRole('link', { name: /#7 Late beats/ })).toHaveAttribute(
    'href',
    'https://github.example/o/hello/issues/7',
  )
  expect((await send(signature)).status).toBe(200)
})
