import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DataDirInUse, lockDataDir } from './data-lock.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sf-lock-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('a second holder is refused with a line that names the directory, the process and the way out', async () => {
  const lock = await lockDataDir(directory)
  const refusal = await lockDataDir(directory).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(DataDirInUse)
  expect(String(refusal)).toContain(directory)
  expect(String(refusal)).toContain(`process ${process.pid}`)
  expect(String(refusal)).toContain('DATA_DIR')
  await lock.release()
})

test('a released directory can be locked again, also under another spelling of its path', async () => {
  const first = await lockDataDir(directory)
  await expect(lockDataDir(`${directory}/../${directory.split('/').at(-1)}`)).rejects.toThrow(DataDirInUse)
  await first.release()
  const second = await lockDataDir(directory)
  await second.release()
})

test('a missing directory is created', async () => {
  const lock = await lockDataDir(join(directory, 'deep', 'inside'))
  await lock.release()
})

test('a holder that is killed leaves no lock behind', async () => {
  const module = fileURLToPath(new URL('./data-lock.ts', import.meta.url))
  const code = `
    const { lockDataDir } = await import(${JSON.stringify(module)})
    await lockDataDir(${JSON.stringify(directory)})
    console.log('held')
    setInterval(() => {}, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  await expect(lockDataDir(directory)).rejects.toThrow(`process ${holder.pid}`)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const lock = await lockDataDir(directory)
  await lock.release()
})
