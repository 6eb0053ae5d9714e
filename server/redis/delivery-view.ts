// Looks at the consumer group, the schedule and the memory without changing anything: for metrics and the console.
import {
  AGE_BOUNDS_MS,
  type DeliveryQueue,
  SCHEDULE_STEP_MS,
  SCHEDULE_STEPS,
  type ScheduledWork,
} from '#server/app/delivery-ports.ts'
import { HANDLERS, type HandlerName } from '#server/domain/delivery/handlers.ts'
import type { RedisConnection } from './connection.ts'
import { readWork } from './delivery-work.ts'
import { DELIVERY_GROUP, DLQ_STREAM, LOG_HEADS, LOG_STREAM, retryKey, retryWorkKey } from './keys.ts'

type Pending = [id: string, consumer: string, idleMs: number, deliveries: number]

/** Pending entries that are looked at for the histogram, from the oldest. */
const AGES_MAX = 10_000
const FAMILIES: Record<string, string[]> = {
  log: [LOG_STREAM, LOG_HEADS],
  schedule: HANDLERS.flatMap((handler) => [retryKey(handler), retryWorkKey(handler)]),
  'dead-letters': [DLQ_STREAM],
}

export const isNoGroup = (error: unknown): boolean =>
  error instanceof Error && (error.message.startsWith('NOGROUP') || error.message.includes('no such key'))

export function createDeliveryView(client: RedisConnection): Pick<DeliveryQueue, 'group' | 'schedule' | 'memory'> {
  const command = async <T>(...args: string[]) => (await client.sendCommand(args)) as unknown as T

  return {
    async group() {
      try {
        const now = await redisNow(client)
        const groups = await command<unknown[][]>('XINFO', 'GROUPS', LOG_STREAM)
        const facts = groups.map(toFacts).find(({ name }) => name === DELIVERY_GROUP)
        if (!facts) throw new Error('NOGROUP')
        const consumers = await command<unknown[][]>('XINFO', 'CONSUMERS', LOG_STREAM, DELIVERY_GROUP)
        const pending = await command<Pending[]>('XPENDING', LOG_STREAM, DELIVERY_GROUP, '-', '+', String(AGES_MAX))
        const ages: number[] = Array.from({ length: AGE_BOUNDS_MS.length + 1 }, () => 0)
        for (const [id] of pending) {
          const age = now - Number(id.split('-')[0])
          const index = AGE_BOUNDS_MS.findIndex((bound) => age < bound)
          ages[index === -1 ? AGE_BOUNDS_MS.length : index]! += 1
        }
        return {
          pending: Number(facts.pending),
          lag: facts.lag === null || facts.lag === undefined ? null : Number(facts.lag),
          oldestPendingMs: pending[0] ? Math.max(0, now - Number(pending[0][0].split('-')[0])) : null,
          consumers: consumers.map(toFacts).map((one) => ({
            name: String(one.name),
            pending: Number(one.pending),
            idleMs: Number(one.idle),
          })),
          ages,
          agesComplete: pending.length < AGES_MAX,
        }
      } catch (error) {
        if (!isNoGroup(error)) throw error
        return {
          ...{ pending: 0, lag: null, oldestPendingMs: null, consumers: [], agesComplete: true },
          ages: Array.from({ length: AGE_BOUNDS_MS.length + 1 }, () => 0),
        }
      }
    },

    async schedule(next) {
      const now = await redisNow(client)
      const sizes = {} as Record<HandlerName, number>
      const soonest: ScheduledWork[] = []
      const coming = Array.from({ length: SCHEDULE_STEPS }, () => 0)
      for (const handler of HANDLERS) {
        sizes[handler] = Number(await command('ZCARD', retryKey(handler)))
        const flat = await command<string[]>('ZRANGE', retryKey(handler), '0', String(next - 1), 'WITHSCORES')
        for (let i = 0; i < flat.length; i += 2) {
          const stored = await command<string | null>('HGET', retryWorkKey(handler), flat[i]!)
          if (!stored) continue
          const { t, s, attempts, type, held } = readWork(stored)
          soonest.push({ handler, topicId: t, seq: s, inMs: Number(flat[i + 1]) - now, attempts, type, held })
        }
        const counts = await Promise.all(
          coming.map((_, step) => {
            const from = step === 0 ? '-inf' : String(now + step * SCHEDULE_STEP_MS)
            return command<number>('ZCOUNT', retryKey(handler), from, `(${now + (step + 1) * SCHEDULE_STEP_MS}`)
          }),
        )
        for (const [step, count] of counts.entries()) coming[step]! += Number(count)
      }
      return { sizes, next: soonest.sort((a, b) => a.inMs - b.inMs).slice(0, next), coming }
    },

    async memory() {
      const info = await command<string>('INFO', 'memory')
      const field = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0)
      const families: Record<string, number> = {}
      for (const [family, keys] of Object.entries(FAMILIES)) {
        const sizes = await Promise.all(keys.map((key) => command<number | null>('MEMORY', 'USAGE', key)))
        families[family] = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
      }
      return { used: field('used_memory'), max: field('maxmemory'), families }
    },
  }
}

async function redisNow(client: RedisConnection): Promise<number> {
  const [seconds, micros] = (await client.sendCommand(['TIME'])) as unknown as [string, string]
  return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000)
}

function toFacts(flat: unknown[]): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: flat.length / 2 }, (_, i) => [String(flat[2 * i]), flat[2 * i + 1]]))
}
