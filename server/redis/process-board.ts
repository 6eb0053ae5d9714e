// What each process last said of itself: one field per process, forgotten when it has been silent for long.
import type { ProcessBoard, ProcessNote } from '#server/app/delivery-ports.ts'
import type { Clock } from '#shared/clock.ts'
import type { RedisConnection } from './connection.ts'
import { PROCESS_BOARD } from './keys.ts'

export function createProcessBoard(client: RedisConnection, clock: Clock): ProcessBoard {
  return {
    async note(note) {
      await client.sendCommand(['HSET', PROCESS_BOARD, note.name, JSON.stringify(note)])
    },
    async leave(name) {
      await client.sendCommand(['HDEL', PROCESS_BOARD, name])
    },
    async all(youngerThanMs) {
      const flat = (await client.sendCommand(['HGETALL', PROCESS_BOARD])) as unknown as string[]
      const notes = flat.flatMap((text, index) => (index % 2 === 1 ? [JSON.parse(text) as ProcessNote] : []))
      const since = clock.now() - youngerThanMs
      const silent = notes.filter(({ at }) => at < since).map(({ name }) => name)
      if (silent.length > 0) await client.sendCommand(['HDEL', PROCESS_BOARD, ...silent])
      return notes.filter(({ at }) => at >= since).sort((a, b) => a.name.localeCompare(b.name))
    },
  }
}
