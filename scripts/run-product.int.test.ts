// The real commands in real processes: what they print, what they leave behind, and what they say when they cannot start.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { type Command, runCommand } from './testing/command.ts'
import { freePort } from './testing/postgres-server.ts'

const READY = /Signal Feed is ready: (http:\/\/localhost:\d+)/
const GONE = { timeout: 15_000, interval: 50 }
const directories: string[] = []
const commands: Command[] = []

const newDirectory = () => {
  directories.push(mkdtempSync(join(tmpdir(), 'sf-run-')))
  return directories.at(-1)!
}
async function run(env: Record<string, string> = {}) {
  const port = env.PORT ?? String(await freePort())
  const dataDir = env.DATA_DIR ?? newDirectory()
  const edgePort = env.EDGE_PORT ?? String(await freePort())
  const command = runCommand('dev', { ...env, PORT: port, EDGE_PORT: edgePort, DATA_DIR: dataDir })
  commands.push(command)
  return { command, port, edgePort, dataDir }
}
/** How it refused: the line, and that nothing else was said about it. */
async function refusal(command: Command) {
  const { code } = await command.exited
  expect(code).toBe(1)
  const output = command.output()
  expect(output).not.toMatch(/^\s+at /m)
  return output.split('\n').filter((line) => line.startsWith('Cannot start'))
}

afterEach(async () => {
  for (const command of commands.splice(0)) {
    for (const { pid } of command.processes()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // Gone with the one before it.
      }
    }
    await command.exited
  }
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
})

describe.skipIf(process.platform !== 'linux')('npm run dev', () => {
  test('shows its progress, says where to go and how to sign in, serves, and Ctrl-C leaves nothing behind', async () => {
    const { command, port } = await run()
    const [, url] = await command.printed(READY)
    expect(url).toBe(`http://localhost:${port}`)
    const [, email, password] = await command.printed(/Sign in as (\S+@\S+) .*password (\S+)/)
    expect(command.output().indexOf('Starting the embedded database')).toBeLessThan(command.output().indexOf('ready'))

    const page = await fetch(url!, { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('<div id="root">')
    const signIn = await fetch(`${url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url! },
      body: JSON.stringify({ email, password }),
    })
    expect(signIn.status).toBe(200)
    expect(command.processes().map(({ command }) => command)).toContainEqual(expect.stringContaining('redis-server'))

    command.interrupt()
    await command.exited
    await expect.poll(command.processes, GONE).toEqual([])
    expect(command.output()).toContain('Stopping')
    expect(command.output()).not.toMatch(/^\s+at /m)
  })

  test('[STR-1] brings the edge along: it serves streams, and Ctrl-C takes it down too', async () => {
    const { command, edgePort } = await run()
    const [, url] = await command.printed(/The edge is ready: (\S+)/)
    expect(url).toBe(`http://localhost:${edgePort}`)
    await command.printed(READY)
    const made = await fetch(`${url}/v1/stream/hello`, { method: 'PUT', body: 'world' })
    expect(made.status).toBe(201)
    expect(await (await fetch(`${url}/v1/stream/hello`)).text()).toBe('world')

    command.interrupt()
    expect((await command.exited).code, command.output()).toBe(0)
    await expect.poll(command.processes, GONE).toEqual([])
  })

  test('an edge that cannot start is said in one line, and the product works', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { command } = await run({ EDGE_PORT: String((taken.address() as AddressInfo).port) })
    const [, url] = await command.printed(READY)
    expect(command.output().match(/^.*The edge is not running.*$/gm)).toHaveLength(1)
    expect((await fetch(`${url}/readyz`)).ok).toBe(true)
    command.interrupt()
    await command.exited
    taken.close()
  })

  test('killed without a chance to clean up, it leaves nothing behind, and starts again on the same data', async () => {
    const { command, dataDir } = await run()
    await command.printed(READY)
    const server = command.processes().find(({ command }) => command.includes('scripts/dev.ts'))
    process.kill(server!.pid, 'SIGKILL')
    await command.exited
    await expect.poll(command.processes, GONE).toEqual([])

    const again = await run({ DATA_DIR: dataDir })
    await again.command.printed(READY)
  })

  test('Ctrl-C during the set-up leaves nothing behind', async () => {
    const { command } = await run()
    await command.printed(/Starting the embedded Redis/)
    command.interrupt()
    await command.exited
    await expect.poll(command.processes, GONE).toEqual([])
  })

  test('a second copy runs beside the first; the same data or the same port is refused in one line', async () => {
    const first = await run()
    await first.command.printed(READY)
    const second = await run()
    await second.command.printed(READY)
    for (const { port } of [first, second]) expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)

    const sameData = await run({ DATA_DIR: first.dataDir })
    expect(await refusal(sameData.command)).toEqual([expect.stringMatching(`${first.dataDir}.*DATA_DIR`)])
    const samePort = await run({ PORT: first.port })
    expect(await refusal(samePort.command)).toEqual([expect.stringMatching(`${first.port}.*PORT`)])
    await expect.poll(samePort.command.processes, GONE).toEqual([])
    expect((await fetch(`http://localhost:${first.port}/readyz`)).status).toBe(200)
    // Four starts, one after the other.
  }, 60_000)

  test.each([
    [{ PORT: 'eighty' }, 'PORT'],
    [{ SEED_DEMO: 'perhaps' }, 'SEED_DEMO'],
    [{ DATABASE_URL: 'mysql://here' }, 'DATABASE_URL'],
    [{ REDIS_URL: 'redis://127.0.0.1:1' }, 'REDIS_URL'],
    [{ WORKERS: '2' }, 'DATABASE_URL'],
  ])('a wrong value is refused in one line that names it: %o', async (env, name) => {
    const { command } = await run(env)
    expect(await refusal(command)).toEqual([expect.stringContaining(name)])
    await expect.poll(command.processes, GONE).toEqual([])
  })
})
