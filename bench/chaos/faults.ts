// Breaks things for a while and puts them right again. Each returns when the fault is over.
import { cp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestRedis } from '#scripts/testing/redis.ts'
import type { Outbox } from '#server/app/log-ports.ts'
import { createRelay } from '#server/app/relay-outbox.ts'
import { createActivityLog } from '#server/redis/activity-log.ts'
import type { RedisConnection } from '#server/redis/connection.ts'
import type { Fault, PlanStep } from './plan.ts'
import type { Mood, Receivers } from './receivers.ts'
import type { Worker } from './workers.ts'

export type Ground = {
  redis: RedisConnection
  redisServer: TestRedis
  outbox: Outbox
  workers: Worker[]
  receivers: Receivers
  publish: (worker: number, topic: number, count: number) => void
}

type Break = (ground: Ground, step: Extract<PlanStep, { do: 'fault' }>) => Promise<void>

/** Above the lease of taken work: what wakes up afterwards is late. */
const FREEZE_MS = 1_700
const BURST = 20

const receivers =
  (mood: Mood): Break =>
  async (ground, { forMs }) => {
    ground.receivers.feel(mood)
    await sleep(forMs)
    ground.receivers.feel('well')
  }

async function restart(ground: Ground, between: () => Promise<void>, forMs: number): Promise<void> {
  await ground.redisServer.kill()
  await between()
  await sleep(forMs)
  await ground.redisServer.restart()
  await answers(ground.redis)
}

/** Our own connection comes back a moment later. */
async function answers(redis: RedisConnection): Promise<void> {
  for (;;) {
    try {
      await redis.ping()
      return
    } catch {
      await sleep(20)
    }
  }
}

const BREAKS: Record<Fault, Break> = {
  'kill-worker': async ({ workers }, { worker }) => {
    await workers[worker]!.kill()
    workers[worker]!.start()
  },
  'pause-worker': async ({ workers }, { worker, forMs }) => {
    workers[worker]!.freeze()
    await sleep(forMs % 4 === 0 ? FREEZE_MS : forMs)
    workers[worker]!.thaw()
  },
  'kill-during-publish': async ({ workers, publish }, { worker, forMs }) => {
    publish(worker, worker, BURST)
    await sleep(forMs / 20)
    await workers[worker]!.kill()
    workers[worker]!.start()
  },
  'cut-connections': async ({ redis }) => {
    await redis.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'])
  },
  'pause-redis': async ({ redis }, { forMs }) => {
    await redis.sendCommand(['CLIENT', 'PAUSE', String(forMs), 'ALL'])
    await sleep(forMs)
  },
  'restart-redis': (ground, { forMs }) => restart(ground, async () => undefined, forMs / 4),
  // What was acknowledged a moment ago is gone: a failover to a replica that was behind, or a lost tail of the file.
  'rewind-redis': async (ground, { forMs }) => {
    const directory = join(dirname(ground.redisServer.socketPath), 'appendonlydir')
    const copy = `${directory}.copy`
    await cp(directory, copy, { recursive: true })
    await sleep(forMs)
    await restart(
      ground,
      async () => {
        await rm(directory, { recursive: true })
        await cp(copy, directory, { recursive: true })
        await rm(copy, { recursive: true })
      },
      0,
    )
  },
  'wipe-redis': async ({ redis }) => {
    await redis.sendCommand(['FLUSHALL'])
  },
  'fill-redis': async ({ redis }, { forMs }) => {
    await redis.sendCommand(['CONFIG', 'SET', 'maxmemory', '1'])
    await sleep(forMs)
    await redis.sendCommand(['CONFIG', 'SET', 'maxmemory', '0'])
  },
  'receivers-down': receivers('down'),
  'receivers-gone': receivers('gone'),
  'receivers-slow': receivers('slow'),
  'repeat-appends': async ({ redis, outbox }) => {
    const relay = createRelay(outbox, createActivityLog(redis))
    await Promise.all([relay.reconcile(), relay.sweep(), relay.reconcile()])
  },
  'restart-log': async ({ redis }) => createActivityLog(redis).restart(),
}

/** A fault may find that another has just taken away what it works on: that is a fault too. */
export async function breakSomething(ground: Ground, step: Extract<PlanStep, { do: 'fault' }>): Promise<void> {
  try {
    await BREAKS[step.fault](ground, step)
  } catch (error) {
    if (!/closed|offline|OOM|ECONN|LOADING|socket/i.test(String(error))) throw error
    await answers(ground.redis)
    await ground.redis.sendCommand(['CONFIG', 'SET', 'maxmemory', '0'])
  }
}
