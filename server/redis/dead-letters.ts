// The dead letters: a stream of their own, so that an id says when it happened. Moving in is part of settling work
// (delivery-settle.lua); here they are looked at, replayed and discarded.
import type { DeadFilter, DeadLetter, DeadLetters, DeadOutcome } from '#server/app/delivery-ports.ts'
import type { DeadClass } from '#server/domain/delivery/failure.ts'
import type { HandlerName } from '#server/domain/delivery/handlers.ts'
import type { RedisConnection } from './connection.ts'
import { loadDeliveryScript } from './delivery-script.ts'
import { DLQ_STREAM } from './keys.ts'

type RawEntry = [id: string, fields: string[]]

/** Letters read at a time while a filter is applied. */
const PAGE = 200

export function createDeadLetters(client: RedisConnection): DeadLetters {
  const replay = loadDeliveryScript(client, 'replay')
  const discard = loadDeliveryScript(client, 'discard')
  const command = async <T>(...args: string[]) => (await client.sendCommand(args)) as unknown as T

  return {
    depth: async () => Number(await command('XLEN', DLQ_STREAM)),

    async get(id) {
      const [found] = await command<RawEntry[]>('XRANGE', DLQ_STREAM, id, id)
      return found ? toLetter(found) : null
    },

    async list(filter, before, limit) {
      const letters: DeadLetter[] = []
      let end = before === null ? '+' : `(${before}`
      for (;;) {
        const page = await command<RawEntry[]>('XREVRANGE', DLQ_STREAM, end, '-', 'COUNT', String(PAGE))
        for (const raw of page) {
          const letter = toLetter(raw)
          if (!fits(letter, filter)) continue
          if (letters.length === limit) return { letters, more: true }
          letters.push(letter)
        }
        if (page.length < PAGE) return { letters, more: false }
        end = `(${page.at(-1)![0]}`
      }
    },

    replay: async (ids, { maxReplays }) => (await replay(maxReplays, JSON.stringify(ids))) as DeadOutcome[],
    discard: async (ids) => (await discard(JSON.stringify(ids))) as DeadOutcome[],
  }
}

const fits = (letter: DeadLetter, filter: DeadFilter): boolean =>
  (filter.handler === undefined || letter.handler === filter.handler) &&
  (filter.class === undefined || letter.class === filter.class) &&
  (filter.olderThanMs === undefined || letter.diedAt < filter.olderThanMs)

function toLetter([id, flat]: RawEntry): DeadLetter {
  const fields: Record<string, string> = {}
  for (let i = 0; i < flat.length; i += 2) fields[flat[i]!] = flat[i + 1]!
  const text = (name: string) => fields[name] ?? ''
  return {
    id,
    handler: text('handler') as HandlerName,
    stream: text('stream'),
    entryId: text('id') || null,
    epoch: text('epoch'),
    topicId: Number(text('topic')),
    seq: Number(text('seq')),
    kind: text('kind') as DeadLetter['kind'],
    data: text('data'),
    group: text('group'),
    class: text('class') as DeadClass,
    error: text('error') || null,
    stack: text('stack') || null,
    attempts: Number(text('attempts')),
    firstAt: text('first') ? Number(text('first')) : null,
    diedAt: Number(text('died')),
    replays: Number(text('replays')),
    traceId: text('trace') || null,
  }
}
