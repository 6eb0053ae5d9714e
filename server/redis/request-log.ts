// The last requests of each person's tools: a short list that trims itself and goes away when nothing comes.
import type { RequestLog } from '#server/app/ports.ts'
import { REQUESTS_KEPT, type RequestEntry, requestEntry } from '#shared/request-log.ts'
import type { RedisConnection } from './connection.ts'
import { requestLogKey } from './keys.ts'

const KEPT_MS = 24 * 3_600_000

export function createRequestLog(client: RedisConnection): RequestLog {
  return {
    async note(userId, entry) {
      const key = requestLogKey(userId)
      await Promise.all([
        client.sendCommand(['LPUSH', key, JSON.stringify(entry)]),
        client.sendCommand(['LTRIM', key, '0', String(REQUESTS_KEPT - 1)]),
        client.sendCommand(['PEXPIRE', key, String(KEPT_MS)]),
      ])
    },

    async recent(userId) {
      const kept = (await client.sendCommand(['LRANGE', requestLogKey(userId), '0', '-1'])) as unknown as string[]
      return kept.flatMap((text): RequestEntry[] => {
        const parsed = requestEntry.safeParse(JSON.parse(text))
        // Written by another version of us.
        return parsed.success ? [parsed.data] : []
      })
    },
  }
}
