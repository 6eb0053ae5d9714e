// Without AUTH_SECRET a random one is made on the first start and kept beside the data, readable by the owner only, so
// that sessions survive a restart. Several machines need the same AUTH_SECRET instead.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EnvError, SECRET_MIN_CHARS } from './env.ts'

export function keptSecret(dataDir: string): string {
  const file = join(dataDir, 'secret')
  mkdirSync(dataDir, { recursive: true })
  try {
    // `wx`: of two processes that start together one writes, the other reads what it wrote.
    writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < SECRET_MIN_CHARS)
    throw new EnvError(
      `The file ${file} does not hold a secret: remove it, and a new one is made (everybody signs in again).`,
    )
  return secret
}
