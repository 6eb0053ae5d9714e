import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DataDirInUse, lockDataDir } from '#server/embedded/data-lock.ts'
import { startEdge } from './edge-process.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sf-edge-lock-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('[STR-1] a second edge on the same data does not start: both would write the same streams', async () => {
  const lock = await lockDataDir(directory)
  await expect(startEdge({ port: 1, directory, vars: {} })).rejects.toThrow(DataDirInUse)
  await lock.release()
})
