// Counters for express-rate-limit that all processes share; while Redis is away each process counts for itself, so that
// its absence neither opens the doors nor shuts them.
import { MemoryStore, type Store } from 'express-rate-limit'
import { RedisStore } from 'rate-limit-redis'
import type { RedisConnection } from './connection.ts'

export function createRateLimitStore(
  client: RedisConnection,
  prefix: string,
  onError: (error: unknown) => void,
): Store {
  const shared = new RedisStore({
    prefix,
    sendCommand: (...args: string[]) => client.sendCommand(args) as unknown as Promise<string>,
  })
  const own = new MemoryStore()
  let loaded = false
  let load: () => Promise<void> = async () => undefined
  return {
    prefix,
    localKeys: false,
    init(options) {
      own.init(options)
      load = async () => {
        loaded = true
        // It keeps a load that failed for good: the next to count has to ask for it again.
        await shared.init(options).catch((error: unknown) => {
          loaded = false
          throw error
        })
      }
    },
    async increment(key) {
      try {
        if (!loaded) await load()
        return await shared.increment(key)
      } catch (error) {
        onError(error)
        return own.increment(key)
      }
    },
    async decrement(key) {
      await Promise.all([shared.decrement(key).catch(onError), own.decrement(key)])
    },
    async resetKey(key) {
      await Promise.all([shared.resetKey(key).catch(onError), own.resetKey(key)])
    },
    shutdown: () => own.shutdown(),
  }
}
