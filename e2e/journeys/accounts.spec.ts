import { expect, test } from '../fixtures/people.ts'

test('[FEED-21] somebody new creates an account, is told what is wrong by field, signs out and in again', async ({
  page,
}) => {
  await page.goto('/')
  await expect(page).toHaveURL(/\/sign-in/)
  await page.getByRole('link', { name: 'Create an account' }).click()

  await page.getByLabel('Name', { exact: true }).fill('Rosalind Franklin')
  await expect(page.getByLabel('Handle')).toHaveValue(/^rosalind/)
  await page.getByLabel('E-mail').fill('rosalind@example.org')
  await page.getByLabel('Password').fill('short')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByLabel('Password')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Password')).toBeFocused()

  await page.getByLabel('Password').fill('photograph fifty-one')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('navigation', { name: 'Topics and pages' })).toBeVisible()

  await page.goto('/settings')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to Signal Feed' })).toBeVisible()

  await page.goto('/settings')
  await expect(page).toHaveURL(/\/sign-in\?next=/)
  await page.getByLabel('E-mail').fill('rosalind@example.org')
  await page.getByLabel('Password').fill('not the password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText('E-mail or password is wrong.')).toBeVisible()
  await page.getByLabel('Password').fill('photograph fifty-one')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByText('Signed in as rosalind@example.org.')).toBeVisible()
})

test('[FEED-21] after a session has ended elsewhere, signing in goes on where one was', async ({ newcomer }) => {
  const person = await newcomer('visitor')
  const page = await person.open('/topics')
  await expect(page.getByRole('heading', { name: 'Topics', level: 1 })).toBeVisible()
  await person.api.post('/api/auth/sign-out', { data: {} })
  await page.reload()
  await expect(page).toHaveURL(/\/sign-in\?next=%2Ftopics/)
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByLabel('Password').fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Topics', level: 1 })).toBeVisible()
})
