// The real command in a real process: on the servers of the environment, and on a product that runs with its own.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DeliveryEntry } from '#server/app/delivery-ports.ts'
import { openStage, type Stage } from '#server/delivery/stage.fixture.ts'
import { ROOT } from './repository-files.ts'
import { type Product, startProduct } from './testing/product.ts'

type Env = Record<string, string>

const NOTHING_SET = { DATABASE_URL: '', REDIS_URL: '', EDGE_URL: '', WEBHOOK_URL: '', DATA_DIR: '' }

function ops(env: Env, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { ...process.env, ...NOTHING_SET, ...env } }
    execFile(process.execPath, [join(ROOT, 'scripts/ops.ts'), ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

describe('[DLV-6] npm run ops', () => {
  describe('on the servers of the environment', () => {
    let stage: Stage
    let env: Env
    beforeAll(async () => {
      stage = await openStage()
      env = { DATABASE_URL: stage.url!, REDIS_URL: stage.redisServer.url }
      await stage.newTopic('project/apollo')
      await stage.publish('project/apollo', 3)
      const queue = stage.queue('test')
      await queue.ensureGroup()
      const past = {
        attempts: 5,
        type: 'transient',
        error: '503 from x',
        stack: 'at',
        firstAt: 1,
        lastAt: 2,
        held: false,
        replays: 0,
      } as const
      const dead = (entry: DeliveryEntry) =>
        ({ entry, handler: 'webhooks', token: null, do: 'dead', class: 'transient', past }) as const
      const entries = (await queue.read(10, 10)).filter(({ kind }) => kind === 'activity')
      await queue.settle(entries.map(dead))
      queue.close()
    })
    afterAll(() => stage.stop())

    it('lists, shows, dry-runs, replays, discards and tells who did it', async () => {
      expect((await ops(env, 'status')).stdout).toMatch(/dead letters\s+3/)
      const listed = JSON.parse((await ops(env, 'dlq', 'list', '--handler', 'webhooks', '--json')).stdout)
      expect(listed.letters).toHaveLength(3)
      const [first, second] = listed.letters.map(({ id }: { id: string }) => id)
      expect((await ops(env, 'dlq', 'list')).stdout).toContain('503 from x')
      expect((await ops(env, 'dlq', 'show', first)).stdout).toContain('"summary": "hello')
      const why = ['--reason', 'receiver is back']
      expect((await ops(env, 'dlq', 'replay', first, ...why, '--dry-run')).stdout).toContain('Would be: 1 replayed')
      expect((await ops(env, 'dlq', 'replay', first, ...why)).stdout).toContain('1 replayed')
      expect((await ops(env, 'dlq', 'replay', first, ...why)).stdout).toContain('1 gone')
      expect((await ops(env, 'dlq', 'discard', second, ...why)).stdout).toContain('1 discarded')
      expect((await ops(env, 'dlq', 'discard', '--all', '--class', 'permanent', ...why)).stdout).toContain(
        'nothing to do',
      )
      expect((await ops(env, 'dlq', 'replay', '--all', ...why)).stdout).toContain('1 replayed')
      expect((await ops(env, 'dlq', 'list')).stdout.trim()).toBe('No dead letters.')
      expect((await ops(env, 'dlq', 'history')).stdout).toMatch(
        /terminal: \S+ +replay +webhooks +\d+:\d+ +replayed +receiver is back/,
      )
    })

    it('says in one line what is wrong', async () => {
      for (const args of [
        ['dlq', 'replay', '1-0'],
        ['dlq', 'show', '9-9'],
        ['dlq', 'list', '--handler', 'x'],
      ]) {
        const { code, stdout, stderr } = await ops(env, ...args)
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr.trim().split('\n')).toHaveLength(1)
      }
    })
  })

  describe('on a product with its own servers', () => {
    let product: Product
    beforeAll(async () => {
      product = await startProduct()
    })
    afterAll(() => product.stop())

    it('works while it runs, and says so when it does not', async () => {
      const env = { DATA_DIR: product.dataDir }
      await expect
        .poll(async () => (await ops(env, 'status')).stdout, { timeout: 60_000 })
        .toMatch(/process .* mentions closed, webhooks closed/)
      expect((await ops(env, 'dlq', 'history')).stdout.trim()).toBe('Nobody has replayed or discarded anything.')
      const empty = await mkdtemp(join(tmpdir(), 'sf-ops-'))
      expect(await ops({ DATA_DIR: empty }, 'status')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Nothing runs'),
      })
      await rm(empty, { recursive: true })
    })
  })
})
