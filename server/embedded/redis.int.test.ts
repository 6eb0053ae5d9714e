import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from 'redis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmbeddedRedis } from './redis.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sf-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

async function connected(socketPath: string) {
  const client = createClient({ url: `unix://${socketPath}` })
  await client.connect()
  return client
}

test('keeps what was written, over a stop and a start, and never evicts', async () => {
  const first = await startEmbeddedRedis({ dataDir: directory })
  const before = await connected(first.socketPath)
  await before.set('kept', 'yes')
  expect(await before.configGet('maxmemory-policy')).toEqual({ 'maxmemory-policy': 'noeviction' })
  before.destroy()
  await first.stop()
  const second = await startEmbeddedRedis({ dataDir: directory })
  const after = await connected(second.socketPath)
  expect(await after.get('kept')).toBe('yes')
  after.destroy()
  await second.stop()
})

test('a data directory with a long path still gets a socket, which is cleared away after the stop', async () => {
  const redis = await startEmbeddedRedis({ dataDir: join(directory, 'long-'.repeat(30)) })
  expect(Buffer.byteLength(redis.socketPath)).toBeLessThanOrEqual(107)
  await redis.stop()
  expect(existsSync(join(redis.socketPath, '..'))).toBe(false)
})

test('a Redis that cannot start says why', async () => {
  const start = startEmbeddedRedis({ dataDir: directory, settings: ['--no-such-setting', 'x'] })
  await expect(start).rejects.toThrow(/did not start/)
})

test('it ends when the process that started it is killed', async () => {
  const module = fileURLToPath(new URL('./redis.ts', import.meta.url))
  const code = `
    const { startEmbeddedRedis } = await import(${JSON.stringify(module)})
    console.log((await startEmbeddedRedis({ dataDir: ${JSON.stringify(directory)} })).socketPath)
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [printed] = (await once(parent.stdout, 'data')) as [Buffer]
  const socket = createConnection(printed.toString().trim())
  await once(socket, 'connect')
  parent.kill('SIGKILL')
  // Redis closes its connections when it goes.
  await once(socket, 'close')
  socket.destroy()
})
