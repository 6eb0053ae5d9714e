// Builds the client when what it is made of has changed since the last build. Two copies that start together build once:
// the second waits for the first and then finds nothing to do.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DataDirInUse, type DataLock, lockDataDir } from '#server/embedded/data-lock.ts'
import { ROOT } from './repository-files.ts'

/** Everything that can change the result. Server code cannot: the client imports only types of it. */
const INGREDIENTS = ['client', 'shared', 'vite.config.ts', 'tsconfig.json', 'package.json', 'package-lock.json']
const OUTPUT = join(ROOT, 'dist')
const STAMP = join(OUTPUT, 'client.stamp')
const PAGE = join(OUTPUT, 'client', 'index.html')
const WAIT_CHECK_MS = 200

export async function buildClientIfStale(onProgress: (line: string) => void): Promise<void> {
  const wanted = ingredientsHash(ROOT, INGREDIENTS)
  if (isBuilt(wanted)) return
  const lock = await lockOutput(onProgress)
  try {
    if (isBuilt(wanted)) return
    onProgress('Building the client …')
    // A build that is cut short must not look like the one before it.
    rmSync(STAMP, { force: true })
    await runVite()
    writeFileSync(STAMP, wanted)
  } finally {
    await lock.release()
  }
}

const isBuilt = (wanted: string): boolean =>
  existsSync(PAGE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted

async function lockOutput(onProgress: (line: string) => void): Promise<DataLock> {
  mkdirSync(OUTPUT, { recursive: true })
  for (let attempt = 0; ; attempt++) {
    try {
      return await lockDataDir(OUTPUT)
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error
      if (attempt === 0) onProgress('Waiting for another copy that is building the client …')
      await wait(WAIT_CHECK_MS)
    }
  }
}

/** Names and contents of all files under the given paths, in a fixed order. */
export function ingredientsHash(root: string, paths: string[]): string {
  const hash = createHash('sha256')
  for (const path of paths.flatMap((entry) => filesUnder(root, entry)).toSorted()) {
    const content = readFileSync(join(root, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

function filesUnder(root: string, path: string): string[] {
  const full = join(root, path)
  if (!existsSync(full)) return []
  if (!statSync(full).isDirectory()) return [path]
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
}

/** In a process of its own, whose memory is gone when the server starts. */
function runVite(): Promise<void> {
  return new Promise((resolve, reject) => {
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js')
    const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const stop = () => child.kill()
    process.once('exit', stop)
    child.once('error', reject)
    child.once('exit', (code) => {
      process.off('exit', stop)
      if (code === 0) resolve()
      else reject(new Error('The client could not be built; the messages above say why.'))
    })
  })
}
