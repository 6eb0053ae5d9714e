// The files of the repository as a check sees them: what git tracks or would track, so that build output, data and
// installed packages never count.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Paths from the root, with forward slashes. */
export function repositoryFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  // A file that was removed but not yet committed is still listed.
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path)))
}
