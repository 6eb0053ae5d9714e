// The log: one Redis stream that every process tails. Appends are ordered and idempotent per topic (append.lua); the
// epoch tells a wiped log from a quiet one.
import { randomBytes } from 'node:crypto'
import type { ActivityLog, AppendResult, LogEntry } from '#server/app/log-ports.ts'
import { HANDLERS } from '#server/domain/delivery/handlers.ts'
import { type Position, positionAt, streamId } from '#shared/position.ts'
import { connectBeside, type RedisConnection } from './connection.ts'
import { LOG_BEAT_TURN, LOG_EPOCH, LOG_FLOOR, LOG_HEADS, LOG_STREAM, retryKey, retryWorkKey } from './keys.ts'
import { type RawEntry, readEntry } from './log-entry.ts'
import { loadScript } from './script.ts'

const newEpoch = () => `e${BigInt(`0x${randomBytes(7).toString('hex')}`).toString(36)}`.padEnd(8, '0')
/** Events a call may carry: bounds the time that the script holds Redis. */
const APPEND_CHUNK = 200
const READ_COUNT = 500
const READ_BLOCK_MS = 5_000
const WARM_CHUNK = 500
/** Of the interval: a turn that lasted all of it would often refuse the next beat of the very process that holds it. */
const BEAT_TURN_SHARE = 0.9

export function createActivityLog(client: RedisConnection): ActivityLog {
  const append = loadScript(client, 'append')
  const beat = loadScript(client, 'beat')
  const restart = loadScript(client, 'restart')

  return {
    async append(events) {
      const results: AppendResult[] = []
      for (let at = 0; at < events.length; at += APPEND_CHUNK) {
        const args = [newEpoch()]
        for (const event of events.slice(at, at + APPEND_CHUNK))
          args.push(
            String(event.topicId),
            String(event.seq),
            event.base === null ? '' : String(event.base),
            event.kind,
            event.data,
            event.again ? '1' : '',
          )
        const replies = (await append([LOG_STREAM, LOG_HEADS, LOG_EPOCH], args)) as (
          | string
          | number
          | [string, string]
        )[]
        for (const reply of replies) results.push(readReply(reply))
      }
      return results
    },

    async beat(intervalMs) {
      const turnMs = Math.round(intervalMs * BEAT_TURN_SHARE)
      await beat([LOG_STREAM, LOG_EPOCH, LOG_BEAT_TURN], [newEpoch(), String(turnMs)])
    },

    async heads() {
      const flat = (await client.sendCommand(['HGETALL', LOG_HEADS])) as unknown as string[]
      const heads = new Map<number, number>()
      for (let i = 0; i < flat.length; i += 2) heads.set(Number(flat[i]), Number(flat[i + 1]))
      return heads
    },

    async restart() {
      const schedules = HANDLERS.flatMap((handler) => [retryKey(handler), retryWorkKey(handler)])
      await restart([LOG_STREAM, LOG_HEADS, LOG_EPOCH, LOG_FLOOR, ...schedules], [newEpoch()])
    },

    async recent(maxBytes) {
      await client.sendCommand(['SET', LOG_EPOCH, newEpoch(), 'NX'])
      const epoch = (await client.sendCommand(['GET', LOG_EPOCH])) as unknown as string
      const entries: LogEntry[] = []
      let bytes = 0
      let before = '+'
      for (;;) {
        const raw = (await client.sendCommand([
          'XREVRANGE',
          LOG_STREAM,
          before,
          '-',
          'COUNT',
          String(WARM_CHUNK),
        ])) as unknown as RawEntry[]
        for (const one of raw) {
          const entry = toLogEntry(one)
          // Whatever another epoch left behind is not part of this log.
          if (entry.position.epoch === epoch) {
            entries.push(entry)
            bytes += entry.data.length
          }
        }
        const complete = raw.length < WARM_CHUNK
        if (complete || bytes >= maxBytes) {
          entries.reverse()
          const floor = (await client.sendCommand(['GET', LOG_FLOOR])) as unknown as string | null
          return { epoch, entries, complete: complete && floor === null, end: entries.at(-1)?.position ?? null }
        }
        before = `(${raw.at(-1)![0]}`
      }
    },

    async follow(from, signal, onEntries) {
      const reader = await connectBeside(client)
      const stop = () => reader.destroy()
      signal.addEventListener('abort', stop, { once: true })
      try {
        let last = from ? streamId(from) : '0-0'
        while (!signal.aborted) {
          const reply = (await reader.sendCommand([
            'XREAD',
            'COUNT',
            String(READ_COUNT),
            'BLOCK',
            String(READ_BLOCK_MS),
            'STREAMS',
            LOG_STREAM,
            last,
          ])) as unknown as [string, RawEntry[]][] | null
          const raw = reply?.[0]?.[1]
          if (!raw?.length) {
            // XREAD waits for ever on a wiped stream whose ids start over below ours.
            if (await isWiped(client, from)) throw new Error('the log was wiped')
            onEntries([])
            continue
          }
          last = raw.at(-1)![0]
          const entries = raw.map(toLogEntry)
          from = entries.at(-1)!.position
          onEntries(entries)
        }
      } catch (error) {
        if (!signal.aborted) throw error
      } finally {
        signal.removeEventListener('abort', stop)
        if (reader.isOpen) reader.destroy()
      }
    },
  }
}

async function isWiped(client: RedisConnection, from: Position | null): Promise<boolean> {
  if (!from) return false
  const epoch = (await client.sendCommand(['GET', LOG_EPOCH])) as unknown as string | null
  return epoch !== from.epoch
}

function readReply(reply: string | number | [string, string]): AppendResult {
  if (typeof reply === 'string') return { status: 'appended', id: reply }
  if (typeof reply === 'number') return { status: 'known' }
  return { status: 'gap', head: reply[1] === '' ? null : Number(reply[1]) }
}

const toLogEntry = (raw: RawEntry): LogEntry => {
  const { id, epoch, kind, topicId, seq, data } = readEntry(raw)
  return { position: positionAt(epoch, id), kind, topicId, seq, data }
}
