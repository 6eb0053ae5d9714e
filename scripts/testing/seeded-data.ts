// A data directory that `npm run seed` has filled, for a product that starts with a long history.
import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../repository-files.ts'

/** The seeder's name for its first topic. */
export const FIRST_SEEDED_TOPIC = 'seed/topic-0'

export async function seededDataDir(size: { activities: number; topics: number; people: number }): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sf-seeded-'))
  const options = Object.entries(size).flatMap(([name, value]) => [`--${name}`, String(value)])
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/seed.ts'), ...options, '--follows', '1'], {
    cwd: ROOT,
    env: { ...process.env, DATA_DIR: dataDir, DATABASE_URL: '' },
  })
  return dataDir
}
