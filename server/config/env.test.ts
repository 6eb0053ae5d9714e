import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEVELOPMENT_SECRET, envErrorLine, type Mode, readEnv } from './env.ts'
import { keptSecret } from './kept-secret.ts'

function lineFor(environment: Record<string, string>, mode: Mode = 'production'): string | null {
  try {
    readEnv(environment, mode)
    return null
  } catch (error) {
    return envErrorLine(error)
  }
}

describe('readEnv', () => {
  it('[FEED-21] runs with no environment at all, in both modes', () => {
    expect(readEnv({}, 'production')).toMatchObject({
      port: 3000,
      host: '0.0.0.0',
      workers: 1,
      databaseUrl: null,
      authSecret: null,
      seedDemo: false,
      demoBot: false,
      authThrottle: true,
    })
    expect(readEnv({}, 'development')).toMatchObject({
      host: '127.0.0.1',
      authSecret: DEVELOPMENT_SECRET,
      seedDemo: true,
      demoBot: true,
    })
  })

  it('[FEED-9] takes an empty value as not set', () => {
    expect(readEnv({ PORT: '', DATABASE_URL: ' ', OIDC_ISSUER: '', SEED_DEMO: '' }, 'production')).toMatchObject({
      port: 3000,
      databaseUrl: null,
      oidc: null,
    })
  })

  it.each([
    [{ PORT: 'abc' }, 'PORT'],
    [{ PORT: '70000' }, 'PORT'],
    [{ PORT: '1.5' }, 'PORT'],
    [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL'],
    [{ REDIS_URL: 'nonsense' }, 'REDIS_URL'],
    [{ PUBLIC_URL: 'javascript:alert(1)' }, 'PUBLIC_URL'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL'],
    [{ DEMO_BOT: 'maybe' }, 'DEMO_BOT'],
    [{ AUTH_SECRET: 'short' }, 'AUTH_SECRET'],
    [{ WORKERS: '0' }, 'WORKERS'],
  ])('[FEED-9] names the variable of a bad value in one line: %o', (environment, name) => {
    const line = lineFor(environment)
    expect(line).toMatch(new RegExp(`^Cannot start: ${name} [^\\n]+\\.$`))
  })

  it('never prints a secret that is wrong', () => {
    expect(lineFor({ AUTH_SECRET: 'hunter2' })).not.toContain('hunter2')
  })

  it('refuses several workers on the embedded database', () => {
    expect(lineFor({ WORKERS: '2' })).toContain('DATABASE_URL')
    expect(lineFor({ WORKERS: '2', DATABASE_URL: 'postgres://db/feed' })).toBeNull()
    expect(lineFor({ WORKERS: '2', DATABASE_URL: 'postgres://db/feed' }, 'development')).toContain('npm start')
  })

  it('[FEED-21] refuses the development secret in production only', () => {
    expect(lineFor({ AUTH_SECRET: DEVELOPMENT_SECRET })).toContain('AUTH_SECRET')
    expect(lineFor({ AUTH_SECRET: DEVELOPMENT_SECRET }, 'development')).toBeNull()
  })

  it('[FEED-21] allows unlimited sign-in only out of reach of other machines', () => {
    expect(lineFor({ AUTH_THROTTLE: 'off' })).toContain('AUTH_THROTTLE')
    expect(lineFor({ AUTH_THROTTLE: 'off', HOST: '127.0.0.1' })).toBeNull()
    expect(lineFor({ AUTH_THROTTLE: 'off', HOST: '127.evil.example' })).toContain('AUTH_THROTTLE')
  })

  it('[FEED-21] has no demo accounts in production, wherever it listens', () => {
    expect(lineFor({ SEED_DEMO: '1' })).toContain('SEED_DEMO')
    expect(lineFor({ SEED_DEMO: '1', HOST: '127.0.0.1' })).toContain('SEED_DEMO')
    expect(lineFor({ SEED_DEMO: '1' }, 'development')).toBeNull()
  })

  it('[FEED-21] wants the three OIDC values together', () => {
    expect(lineFor({ OIDC_ISSUER: 'https://id.example' })).toContain('OIDC_CLIENT_ID')
    const env = readEnv(
      { OIDC_ISSUER: 'https://id.example/', OIDC_CLIENT_ID: 'feed', OIDC_CLIENT_SECRET: 's', OIDC_NAME: 'Example' },
      'production',
    )
    expect(env.oidc).toEqual({ issuer: 'https://id.example', clientId: 'feed', clientSecret: 's', name: 'Example' })
  })

  it('keeps only the origin of the public address', () => {
    expect(readEnv({ PUBLIC_URL: 'https://feed.example/path' }, 'production').publicOrigin).toBe('https://feed.example')
  })

  it('leaves other failures to others', () => {
    expect(envErrorLine(new Error('disk full'))).toBeNull()
  })
})

describe('keptSecret', () => {
  let dataDir: string
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'signal-feed-secret-'))
  })
  afterEach(() => rmSync(dataDir, { recursive: true }))

  it('[FEED-21] makes a secret once, for the owner only, and gives the same one again', () => {
    const nested = join(dataDir, 'not', 'there')
    const secret = keptSecret(nested)
    expect(secret.length).toBeGreaterThanOrEqual(32)
    expect(keptSecret(nested)).toBe(secret)
    expect(statSync(join(nested, 'secret')).mode & 0o777).toBe(0o600)
    expect(keptSecret(dataDir)).not.toBe(secret)
  })

  it('says what to do about a damaged file instead of signing with nothing', () => {
    writeFileSync(join(dataDir, 'secret'), '\n')
    expect(() => keptSecret(dataDir)).toThrow(/remove it/)
    expect(readFileSync(join(dataDir, 'secret'), 'utf8')).toBe('\n')
  })
})

describe('.env.example', () => {
  it('can be used as it is', () => {
    const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
    const entries = [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map((match) => [match[1], match[2]])
    expect(entries.length).toBeGreaterThan(15)
    expect(lineFor(Object.fromEntries(entries))).toBeNull()
  })
})
