import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newcomer, startTestApp, type TestApp } from '#server/http/app.fixture.ts'
import { type Claims, startOidcProvider } from './oidc-provider.fixture.ts'

let provider: Awaited<ReturnType<typeof startOidcProvider>>
let app: TestApp
beforeAll(async () => {
  provider = await startOidcProvider()
  const oidc = { issuer: provider.issuer, clientId: 'feed', clientSecret: 'secret', name: 'Example' }
  app = await startTestApp({ database: 'pglite', env: { oidc } })
})
afterAll(async () => {
  await app?.stop()
  await provider?.stop()
})

const person = (sub: string, name: string, over: Partial<Claims> = {}): Claims => ({
  sub,
  name,
  email: `${sub}@id.example`,
  email_verified: true,
  ...over,
})

async function comeIn(claims: Claims, over: { nonce?: string } = {}) {
  const who = app.visitor()
  const start = await who.post('/api/auth/sign-in/social', { provider: 'oidc', callbackURL: '/t/project/apollo' })
  expect(start.status).toBe(200)
  const { url } = await start.json()
  const back = await who.get(provider.approve(url, claims, over))
  const me = (await (await who.get('/api/trpc/whoAmI')).json()).result.data
  return { back, me }
}

describe('sign-in through a provider', () => {
  it('[FEED-21] makes an account with a free handle, and finds it again', async () => {
    const first = await comeIn(person('one', 'Zoë Müller', { preferred_username: 'zoe.mueller' }))
    expect(first.back.status).toBe(302)
    expect(first.back.headers.get('location')).toBe('/t/project/apollo')
    expect(first.me).toMatchObject({
      handle: 'zoe-mueller',
      name: 'Zoë Müller',
      email: 'one@id.example',
      role: 'member',
    })
    expect(app.created.map(({ handle }) => handle)).toContain('zoe-mueller')
    const again = await comeIn(person('one', 'Zoë Müller', { preferred_username: 'zoe.mueller' }))
    expect(again.me).toEqual(first.me)
  })

  it('[FEED-21] gives another person of the same name another handle, and nobody a role', async () => {
    const other = await comeIn(
      person('two', 'Zoë Müller', { preferred_username: 'zoe.mueller', role: 'operator', followsVersion: 99 }),
    )
    expect(other.me).toMatchObject({ handle: 'zoe-mueller-2', role: 'member', followsVersion: 1 })
  })

  it('[FEED-21] does not open somebody’s password account to whoever claims their e-mail', async () => {
    await app.visitor().post('/api/auth/sign-up/email', newcomer('victim'))
    const { back, me } = await comeIn(person('three', 'Victim', { email: 'victim@example.org' }))
    expect(me).toBeNull()
    expect(back.headers.get('location')).toMatch(/^\/sign-in\?.*error=/)
  })

  it('[FEED-21] refuses an answer that was made for another request', async () => {
    const { back, me } = await comeIn(person('four', 'Replayed'), { nonce: 'of-somebody-else' })
    expect(me).toBeNull()
    expect(back.headers.get('location')).toMatch(/error=/)
    const stranger = await app.visitor().get('/api/auth/callback/oidc?code=made-up&state=made-up')
    expect(stranger.headers.get('location')).toMatch(/error=/)
  })
})
