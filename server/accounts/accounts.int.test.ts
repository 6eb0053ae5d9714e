import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SIGN_IN_PER_ACCOUNT, SIGN_IN_PER_ADDRESS, SIGN_UP_PER_ADDRESS } from '#server/config/tuning.ts'
import { type DatabaseKind, errorOf, newcomer, startTestApp, type TestApp } from '#server/http/app.fixture.ts'
import { DEMO_PASSWORD, DEMO_PEOPLE, demoEmail, ensureDemoPeople } from './demo-people.ts'

const PASSWORD = 'correct horse battery'
const databases: DatabaseKind[] = ['pglite', 'postgres']

describe.each(databases)('accounts on %s', (database) => {
  let app: TestApp
  let next = 1
  beforeAll(async () => {
    app = await startTestApp({ database })
  })
  afterAll(() => app?.stop())

  /** Everybody sits at an address of their own unless a test says otherwise. */
  const visitor = () => app.visitor(`198.51.100.${next++}`)
  const signUp = (who: ReturnType<typeof visitor>, handle: string, over = {}) =>
    who.post('/api/auth/sign-up/email', newcomer(handle, over))
  const signIn = (who: ReturnType<typeof visitor>, email: string, password = PASSWORD) =>
    who.post('/api/auth/sign-in/email', { email, password })
  const whoIs = async (who: ReturnType<typeof visitor>) =>
    (await (await who.get('/api/trpc/whoAmI')).json()).result.data

  it('[FEED-21] signs up, in and out', async () => {
    const who = visitor()
    expect((await signUp(who, 'ada', { email: 'Ada@Example.org' })).status).toBe(200)
    expect(await whoIs(who)).toBeNull()
    expect((await signIn(who, 'ADA@example.org')).status).toBe(200)
    expect(await whoIs(who)).toEqual({
      id: expect.any(String),
      handle: 'ada',
      name: 'ada',
      email: 'ada@example.org',
      role: 'member',
      followsVersion: 1,
    })
    expect(app.created[0]).toMatchObject({ handle: 'ada', name: 'ada' })
    const stolen = new Map(who.cookies)
    expect((await who.post('/api/auth/sign-out', {})).status).toBe(200)
    expect(await whoIs(who)).toBeNull()
    // Signing out ends the session itself, not only this browser's memory of it.
    const thief = visitor()
    for (const [name, value] of stolen) thief.cookies.set(name, value)
    expect(await whoIs(thief)).toBeNull()
  })

  it('[FEED-21] sets a session cookie that scripts and other sites do not get', async () => {
    const who = visitor()
    await signUp(who, 'cookie')
    const answer = await signIn(who, 'cookie@example.org')
    const cookie = answer.headers.getSetCookie().find((value) => value.includes('session_token'))
    expect(cookie).toMatch(/; HttpOnly/i)
    expect(cookie).toMatch(/; SameSite=Lax/i)
    expect(cookie).toMatch(/; Path=\//i)
    expect(cookie).not.toMatch(/; Secure/i)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('[FEED-21] answers a known e-mail exactly like a new one, and changes nothing', async () => {
    await signUp(visitor(), 'first', { email: 'shared@example.org' })
    const again = await signUp(visitor(), 'second', { email: 'SHARED@example.org', password: 'another password' })
    const fresh = await signUp(visitor(), 'third')
    expect(again.status).toBe(fresh.status)
    expect([...again.headers.keys()].sort()).toEqual([...fresh.headers.keys()].sort())
    const shape = (text: string) => text.replaceAll(/second|third|shared/g, '…')
    expect(shape(await again.text())).toBe(shape(await fresh.text()))
    const { rows } = await app.pool.query("select handle from users where handle in ('first', 'second') order by 1")
    expect(rows).toEqual([{ handle: 'first' }])
    expect((await signIn(visitor(), 'shared@example.org', 'another password')).status).toBe(401)
    expect((await signIn(visitor(), 'shared@example.org')).status).toBe(200)
  })

  it('[FEED-21] names the field of a taken handle, whether the e-mail is known or not', async () => {
    await signUp(visitor(), 'taken')
    for (const email of ['taken@example.org', 'somebody-else@example.org']) {
      const answer = await signUp(visitor(), 'taken', { email })
      expect(answer.status).toBe(409)
      expect(await errorOf(answer)).toMatchObject({ code: 'NAME_TAKEN', field: 'handle' })
    }
  })

  it('[FEED-21] gives a handle once when many ask at the same moment', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map((number) => signUp(visitor(), 'raced', { email: `raced-${number}@example.org` })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409])
    const { rows } = await app.pool.query(
      'select count(*)::int as count from accounts a join users u on u.id = a.user_id where u.handle = $1',
      ['raced'],
    )
    expect(rows).toEqual([{ count: 1 }])
  })

  it.each([
    ['a short password', { password: 'short' }, 'password'],
    ['an endless password', { password: 'x'.repeat(129) }, 'password'],
    ['a bad handle', { handle: 'Ada Lovelace' }, 'handle'],
    ['SQL as handle', { handle: "a'; drop table users; --" }, 'handle'],
    ['no e-mail', { email: 'nobody' }, 'email'],
    ['another type', { email: { $ne: null } }, 'email'],
    ['an empty name', { name: '  ' }, 'name'],
    ['a name that cannot be stored', { name: 'a\u0000b' }, 'name'],
    ['a role', { role: 'operator' }, 'role'],
    ['a picture', { image: 'javascript:alert(1)' }, 'image'],
  ])('[FEED-9] refuses %s at sign-up by field', async (_name, over, field) => {
    const answer = await signUp(visitor(), 'refused', over)
    expect(answer.status).toBe(400)
    expect(await errorOf(answer)).toMatchObject({ code: 'INVALID_INPUT', field })
    expect((await app.pool.query("select 1 from users where handle = 'refused'")).rows).toEqual([])
  })

  it.each([
    ['/sign-in/email', { email: 'ada@example.org', password: ['a'] }, 'password'],
    ['/sign-in/social', { provider: 5 }, 'provider'],
    ['/sign-in/social', { provider: 'oidc', callbackURL: 'https://evil.example/' }, 'callbackURL'],
    ['/sign-in/social', { provider: 'oidc', callbackURL: '//evil.example' }, 'callbackURL'],
    ['/change-password', { currentPassword: PASSWORD, newPassword: 'short' }, 'newPassword'],
    ['/revoke-session', { token: {} }, 'token'],
  ])('[FEED-9] refuses bad input to %s by field: %o', async (path, input, field) => {
    const answer = await visitor().post(`/api/auth${path}`, input)
    expect(answer.status).toBe(400)
    expect(await errorOf(answer)).toMatchObject({ code: 'INVALID_INPUT', field })
  })

  it('[FEED-9] keeps script-like names as the text they are', async () => {
    const name = '<script>alert("x")</script> & Söhne'
    const who = visitor()
    expect((await signUp(who, 'scripty', { name })).status).toBe(200)
    await signIn(who, 'scripty@example.org')
    expect((await whoIs(who)).name).toBe(name)
  })

  it('[FEED-9] refuses broken and oversized bodies', async () => {
    const broken = await visitor().post('/api/auth/sign-in/email', '{"email":')
    expect(broken.status).toBe(400)
    expect(await errorOf(broken)).toMatchObject({ code: 'INVALID_INPUT', field: 'body' })
    const large = await visitor().post('/api/auth/sign-in/email', { email: 'x'.repeat(20_000), password: 'y' })
    expect(large.status).toBe(413)
    expect(await errorOf(large)).toMatchObject({ code: 'TOO_LARGE' })
  })

  it('[FEED-21] says the same about a wrong password and an unknown e-mail', async () => {
    await signUp(visitor(), 'grace')
    const wrong = await signIn(visitor(), 'grace@example.org', 'wrong password')
    const unknown = await signIn(visitor(), 'nobody@example.org', 'wrong password')
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    const { requestId: _one, ...first } = await errorOf(wrong)
    const { requestId: _two, ...second } = await errorOf(unknown)
    expect(first).toEqual(second)
    expect(first.code).toBe('SIGNED_OUT')
  })

  it('[FEED-21] limits guesses per account even from many addresses, and lets go after the window', async () => {
    await signUp(visitor(), 'guessed')
    for (let guess = 0; guess < SIGN_IN_PER_ACCOUNT.max; guess += 1)
      expect((await signIn(visitor(), 'guessed@example.org', `guess number ${guess}`)).status).toBe(401)
    const refused = await signIn(visitor(), 'guessed@example.org')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await errorOf(refused)).toMatchObject({ code: 'TOO_MANY' })
    app.clock.advance(SIGN_IN_PER_ACCOUNT.windowSeconds * 1000)
    expect((await signIn(visitor(), 'guessed@example.org')).status).toBe(200)
  })

  it('[FEED-21] forgets earlier mistakes after a good sign-in', async () => {
    await signUp(visitor(), 'clumsy')
    for (let round = 0; round < 2; round += 1) {
      for (let guess = 1; guess < SIGN_IN_PER_ACCOUNT.max; guess += 1)
        await signIn(visitor(), 'clumsy@example.org', 'mistyped again')
      expect((await signIn(visitor(), 'clumsy@example.org')).status).toBe(200)
    }
  })

  it('[FEED-21] limits attempts per address, one IPv6 network counting as one, and believes no forged header', async () => {
    const attempt = (number: number) =>
      app
        .visitor(`2001:db8:1:2::${number.toString(16)}`)
        .post(
          '/api/auth/sign-in/email',
          { email: `spray-${number}@example.org`, password: 'a guess' },
          { 'x-signal-feed-client-address': `203.0.113.${number}` },
        )
    for (let number = 1; number <= SIGN_IN_PER_ADDRESS.max; number += 1)
      expect((await attempt(number)).status).toBe(401)
    expect((await attempt(99)).status).toBe(429)
    expect((await signIn(visitor(), 'spray-1@example.org')).status).toBe(401)
  })

  it('[FEED-21] limits sign-ups per address', async () => {
    const who = app.visitor('203.0.113.200')
    for (let number = 0; number < SIGN_UP_PER_ADDRESS.max; number += 1)
      expect((await signUp(who, `crowd-${number}`)).status).toBe(200)
    expect((await signUp(who, 'crowd-last')).status).toBe(429)
  })

  it('[FEED-21] changes a password only for someone who knows it, and can end other sessions', async () => {
    const [here, elsewhere] = [visitor(), visitor()]
    await signUp(here, 'mover')
    await signIn(here, 'mover@example.org')
    await signIn(elsewhere, 'mover@example.org')
    const change = (currentPassword: string) =>
      here.post('/api/auth/change-password', {
        currentPassword,
        newPassword: 'a brand new password',
        revokeOtherSessions: true,
      })
    const wrong = await change('not the password')
    expect(wrong.status).toBe(400)
    expect(await errorOf(wrong)).toMatchObject({ code: 'INVALID_INPUT', field: 'currentPassword' })
    expect((await change(PASSWORD)).status).toBe(200)
    expect(await whoIs(elsewhere)).toBeNull()
    expect(await whoIs(here)).toMatchObject({ handle: 'mover' })
  })

  it('[FEED-21] offers nothing of the library beyond the list', async () => {
    const who = visitor()
    await signUp(who, 'curious')
    await signIn(who, 'curious@example.org')
    for (const path of [
      '/update-user',
      '/change-email',
      '/delete-user',
      '/request-password-reset',
      '/constructor',
      '/',
    ]) {
      const answer = await who.post(`/api/auth${path}`, { role: 'operator', handle: 'root', name: 'Root' })
      expect(answer.status).toBe(404)
      expect(await errorOf(answer)).toMatchObject({ code: 'NOT_FOUND' })
    }
    const operate = await who.post('/api/trpc/operate', {})
    expect(operate.status).toBe(403)
    expect(await errorOf(operate)).toMatchObject({ code: 'NOT_ALLOWED' })
  })

  it('[FEED-21] takes a forged or altered cookie for no cookie', async () => {
    const who = visitor()
    await signUp(who, 'forger')
    await signIn(who, 'forger@example.org')
    for (const [name, value] of who.cookies) who.cookies.set(name, `x${value.slice(1)}`)
    expect(await whoIs(who)).toBeNull()
  })

  it('[FEED-21] prolongs a session that is due, and only then; an ended one is none', async () => {
    const who = visitor()
    await signUp(who, 'stayer')
    await signIn(who, 'stayer@example.org')
    const expiresIn = (interval: string) =>
      app.pool.query(
        `update sessions set expires_at = now() + $1::interval where user_id = (select id from users where handle = 'stayer')`,
        [interval],
      )
    const asked = async () => {
      const answer = await who.get('/api/trpc/whoAmI')
      const person = (await answer.json()).result.data
      return { handle: person?.handle ?? null, cookies: answer.headers.getSetCookie().length }
    }
    expect(await asked()).toEqual({ handle: 'stayer', cookies: 0 })
    await expiresIn('28 days')
    expect(await asked()).toEqual({ handle: 'stayer', cookies: 1 })
    expect(await asked()).toEqual({ handle: 'stayer', cookies: 0 })
    await expiresIn('-1 second')
    expect((await asked()).handle).toBeNull()
  })

  it('[FEED-21] makes the demo people once, with one operator', async () => {
    // Handles that tests above have taken stay with their owners.
    await app.pool.query("delete from users where handle in ('ada', 'grace')")
    const made = await ensureDemoPeople(app.accounts.auth, app.pool)
    expect(made).toEqual(DEMO_PEOPLE.map((person) => person.handle))
    expect(await ensureDemoPeople(app.accounts.auth, app.pool)).toEqual([])
    const who = visitor()
    expect((await signIn(who, demoEmail('ada'), DEMO_PASSWORD)).status).toBe(200)
    expect((await who.post('/api/trpc/operate', {})).status).toBe(200)
    const { rows } = await app.pool.query("select handle from users where role = 'operator'")
    expect(rows).toEqual([{ handle: 'ada' }])
    expect(app.created.map((person) => person.handle)).toContain('margaret')
  })

  it('[FEED-9] wrote neither passwords nor stack traces into the log', () => {
    const log = app.lines.join('')
    expect(log).not.toContain(PASSWORD)
    expect(log).not.toContain('correct')
    expect(log).not.toMatch(/"level":"error"/)
    expect(log).not.toMatch(/at .*\.ts:\d+/)
  })
})

describe('a public address with https', () => {
  it('[FEED-21] makes the cookie secure and asks browsers to stay on https', async () => {
    const app = await startTestApp({ database: 'pglite', env: { publicOrigin: 'https://feed.example' } })
    try {
      const headers = { origin: 'https://feed.example' }
      const who = app.visitor()
      await who.post('/api/auth/sign-up/email', newcomer('secure'), headers)
      const answer = await who.post(
        '/api/auth/sign-in/email',
        { email: 'secure@example.org', password: PASSWORD },
        headers,
      )
      expect(answer.headers.getSetCookie().join()).toMatch(/__Secure-signal-feed\.session_token=.*; Secure/i)
      expect(answer.headers.get('strict-transport-security')).toContain('max-age')
      expect(answer.headers.get('content-security-policy')).toContain('upgrade-insecure-requests')
      expect((await who.post('/api/trpc/echo', { text: 'hi' })).status).toBe(403)
    } finally {
      await app.stop()
    }
  })
})

describe('when the personal topic cannot be made', () => {
  it('[FEED-21] the account stands, and signing in makes up for it', async () => {
    const attempts: string[] = []
    const app = await startTestApp({
      database: 'pglite',
      onPersonCreated: async (person) => {
        attempts.push(person.handle)
        if (attempts.length === 1) throw new Error('no topic today')
      },
    })
    try {
      const who = app.visitor()
      expect((await who.post('/api/auth/sign-up/email', newcomer('unlucky'))).status).toBe(200)
      expect(
        (await who.post('/api/auth/sign-in/email', { email: 'unlucky@example.org', password: PASSWORD })).status,
      ).toBe(200)
      expect(attempts).toEqual(['unlucky', 'unlucky'])
      expect(app.lines.filter((line) => line.includes('personal topic not made'))).toHaveLength(1)
    } finally {
      await app.stop()
    }
  })
})
