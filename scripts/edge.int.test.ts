// `npm run edge` in a process of its own: it stays until it is asked to go, and takes what it started along.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runCommand } from './testing/command.ts'
import { freePort } from './testing/postgres-server.ts'

/** Longer than a connection is kept for the next request: what else holds the process shows only after that. */
const IDLE_MS = 6_000
const PATIENT = 120_000

test(
  '[STR-1] npm run edge serves every Worker behind one door, also after nobody has asked for a while, and ends on Ctrl-C',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sf-edge-'))
    const port = await freePort()
    const command = runCommand('edge', { DATA_DIR: dataDir, EDGE_PORT: String(port), EDGE_URL: '' })
    try {
      await command.printed(/The edge is ready/)
      const ended = await Promise.race([command.exited, wait(IDLE_MS, 'still here')])
      expect(ended).toBe('still here')
      const status = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
      expect(await status('/health')).toBe(200)
      expect(await status('/v1/stream/none')).toBe(404)
      // The product's own project lets in nobody without a token, whichever Worker it is.
      for (const path of [
        '/v1/feed/stream/a',
        '/v1/feed/jobs/status',
        '/v1/feed/session/00000000-0000-4000-8000-000000000000',
      ])
        expect([path, await status(path)]).toEqual([path, 401])
      expect(await status('/v1/feed/hub/connect')).toBeGreaterThanOrEqual(400)
      command.interrupt()
      expect((await command.exited).code).toBe(0)
    } finally {
      for (const { pid } of command.processes()) process.kill(pid, 'SIGKILL')
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  PATIENT,
)
