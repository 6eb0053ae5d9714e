// The consumer group on the log with its schedule of retries. Entries stay pending until every handler is finished with
// them; when the next try is, and who has it now, is known only to the schedule, and every move in it is one script.
import { randomUUID } from 'node:crypto'
import type { DeliveryEntry, DeliveryQueue } from '#server/app/delivery-ports.ts'
import { HANDLERS, type HandlerName, placeKey } from '#server/domain/delivery/handlers.ts'
import { connectBeside, type RedisConnection } from './connection.ts'
import { handlerNumber, loadDeliveryScript } from './delivery-script.ts'
import { createDeliveryView } from './delivery-view.ts'
import { toDueWork, toOperation, toStored } from './delivery-work.ts'
import { DELIVERY_GROUP, LOG_STREAM, retryKey } from './keys.ts'
import { type RawEntry, readEntry } from './log-entry.ts'

/** Operations in one call: bounds the time that the script holds Redis. */
const SETTLE_CHUNK = 200
/** Entries that may die in one call of the trimmer. */
const TRIM_CHUNK = 200
/** Work that cannot die because the dead letters are full is looked at again so late. */
const FULL_WAIT_MS = 60_000

export type DeliveryQueueOptions = {
  /** Name of this process among the consumers. */
  consumer: string
  /** Dead letters there may be. */
  deadMax: number
}

export function createDeliveryQueue(client: RedisConnection, options: DeliveryQueueOptions): DeliveryQueue {
  const { consumer, deadMax } = options
  const settle = loadDeliveryScript(client, 'settle')
  const take = loadDeliveryScript(client, 'take')
  const adopt = loadDeliveryScript(client, 'adopt')
  const owe = loadDeliveryScript(client, 'owe')
  const trim = loadDeliveryScript(client, 'trim')
  const removeConsumers = loadDeliveryScript(client, 'consumers')
  let reader: RedisConnection | null = null

  /** Reading blocks, so it has a connection of its own; a broken one is replaced. */
  async function readerConnection(): Promise<RedisConnection> {
    if (reader?.isReady) return reader
    reader?.destroy()
    reader = null
    reader = await connectBeside(client)
    return reader
  }

  async function ack(ids: string[]): Promise<void> {
    if (ids.length > 0) await client.sendCommand(['XACK', LOG_STREAM, DELIVERY_GROUP, ...ids])
  }

  return {
    ...createDeliveryView(client),
    ack,

    async ensureGroup() {
      try {
        // From the beginning: in a log that was lost and filled again everything may be unfinished.
        await client.sendCommand(['XGROUP', 'CREATE', LOG_STREAM, DELIVERY_GROUP, '0', 'MKSTREAM'])
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('BUSYGROUP'))) throw error
      }
    },

    async read(count, blockMs) {
      const connection = await readerConnection()
      const reply = (await connection.sendCommand([
        ...['XREADGROUP', 'GROUP', DELIVERY_GROUP, consumer, 'COUNT', String(count)],
        ...['BLOCK', String(blockMs), 'STREAMS', LOG_STREAM, '>'],
      ])) as unknown as [string, RawEntry[]][] | null
      const entries: DeliveryEntry[] = []
      const beats: string[] = []
      for (const raw of reply?.[0]?.[1] ?? []) {
        const { kind, ...entry } = readEntry(raw)
        if (kind === 'beat') beats.push(entry.id)
        else entries.push({ ...entry, kind })
      }
      await ack(beats)
      return entries
    },

    async settle(settlements) {
      // What is finished first: under a full Redis only this part still works.
      const operations = settlements.toSorted((a, b) => rank(a.do) - rank(b.do)).map(toOperation)
      let refused = 0
      for (let at = 0; at < operations.length; at += SETTLE_CHUNK) {
        const chunk = JSON.stringify(operations.slice(at, at + SETTLE_CHUNK))
        refused += Number(await settle(deadMax, FULL_WAIT_MS, chunk))
      }
      return { refused }
    },

    async take(handler, count, leaseMs) {
      const token = randomUUID()
      const taken = (await take(handlerNumber(handler), count, leaseMs, token)) as string[][]
      return taken.map((one) => toDueWork(handler, token, one))
    },

    async adopt(idleMs, handlers, count) {
      const total = { adopted: 0, lost: 0 }
      for (;;) {
        const [looked, adopted, lost] = (await adopt(idleMs, count, numbers(handlers))) as [number, number, number]
        total.adopted += adopted
        total.lost += lost
        if (looked < count) return total
      }
    },

    async owe(work) {
      if (work.length === 0) return 0
      const operations = work.map(({ handler, entry, at }) => ({
        h: handlerNumber(handler),
        p: placeKey(entry),
        ...(at === null ? {} : { at }),
        w: toStored({ ...entry, id: null }, { attempts: 0, replays: 0 }),
      }))
      return Number(await owe(JSON.stringify(operations)))
    },

    removeIdleConsumers: async (idleMs) => Number(await removeConsumers(idleMs)),

    async trim({ olderThanMs, maxEntries, handlers }) {
      const total = { removed: 0, died: 0 }
      for (;;) {
        const reply = await trim(`${olderThanMs}-0`, maxEntries, numbers(handlers), deadMax, TRIM_CHUNK)
        const [removed, died, more] = reply as [number, number, number]
        total.removed += removed
        total.died += died
        if (!more) return total
      }
    },

    async scheduleSize() {
      const sizes = await Promise.all(HANDLERS.map((handler) => client.sendCommand(['ZCARD', retryKey(handler)])))
      return sizes.reduce<number>((sum, size) => sum + Number(size), 0)
    },

    close() {
      reader?.destroy()
      reader = null
    },
  }
}

const numbers = (handlers: readonly HandlerName[]) => JSON.stringify(handlers.map(handlerNumber))
const rank = (act: 'done' | 'schedule' | 'dead') => (act === 'done' ? 0 : 1)
