// Builds and wires the canary. A part of services.ts.
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Registry } from 'prom-client'
import type { Clock } from '#shared/clock.ts'
import { type Canary, createCanary } from './app/canary.ts'
import type { PublishActivity } from './app/publish-activity.ts'
import * as tuning from './config/tuning.ts'
import { createCanaryStore } from './db/canary-store.ts'
import { every, type Loop } from './jobs/every.ts'
import { createCanaryMetrics } from './telemetry/canary-metrics.ts'
import type { Warn } from './telemetry/logger.ts'

type Given = {
  pool: pg.Pool
  publish: PublishActivity['publish']
  registry: Registry
  clock: Clock
  warn: Warn
}

export function createCanaryServices({
  pool,
  publish,
  registry,
  clock,
  warn,
}: Given): Canary & { loops: () => Loop[] } {
  const canary = createCanary({
    ...{ publish, clock, store: createCanaryStore(pool), timeoutMs: tuning.CANARY_TIMEOUT_MS },
    name: randomBytes(6).toString('hex'),
    figures: createCanaryMetrics(registry, clock.now()),
    onFailure: (stage) => warn(stage === 'publish' ? 'the canary was not published' : 'the canary did not come back'),
  })
  return {
    ...canary,
    loops: () => [
      every(tuning.CANARY_MS, canary.run, warn('the canary did not run')),
      every(tuning.CLEAN_UP_MS, canary.forget, warn('old canaries not let go')),
    ],
  }
}
