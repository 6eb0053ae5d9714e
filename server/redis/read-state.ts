// People's read state in Redis. Everything that changes a person's state is one script, so that all their devices are put
// in one order; the flags of a page are one MGET of the state and the segments it touches, the bits taken here. What is
// not in Redis is brought back by whoever holds the durable copy.
import { RESP_TYPES } from 'redis'
import type { LiveReads, ReadPlace } from '#server/app/read-ports.ts'
import {
  extrasOf,
  findTopic,
  type Packed,
  pack,
  runOf,
  type SegmentBytes,
  unpack,
  versionOf,
} from '#server/domain/read/packed.ts'
import type { PersonReads, Stored } from '#server/domain/read/person-reads.ts'
import { hasBit, segmentOf } from '#server/domain/read/segments.ts'
import type { Clock } from '#shared/clock.ts'
import type { RedisConnection } from './connection.ts'
import { READS_CHANGED, readsKey, readsSegmentKey } from './keys.ts'
import { loadScript } from './script.ts'

type Options = {
  clock: Clock
  /** How long the state of somebody who does not come back is kept. */
  idleMs: number
}

type Dump = (Buffer | number)[]
type Reply = [versions: number[], after?: Dump, before?: Dump] | null

export function createLiveReads(client: RedisConnection, { clock, idleMs }: Options): LiveReads {
  const binary = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
  const script = loadScript(binary, 'reads')
  const restoring = loadScript(binary, 'restore-reads')
  const notingSaved = loadScript(client, 'noted-saved')

  /** A restarted Redis may have forgotten its last second: what was compared before is compared again. */
  let run: number | null = null
  client.on('ready', () => {
    run = null
  })
  const currentRun = async () => {
    run ??= await readRun(client)
    return run
  }

  async function call(viewer: string, operations: object[], want: '' | 'a' | 'ba', compared = true): Promise<Reply> {
    const now = clock.now()
    const known = compared ? String(await currentRun()) : ''
    const args = [String(now), String(now + idleMs), JSON.stringify(operations), want, known]
    return (await script([readsKey(viewer)], args)) as Reply
  }

  /** Noted first, on the same connection: whoever dies afterwards leaves a note for the others. */
  async function change(viewer: string, operations: object[], want: '' | 'ba'): Promise<Reply> {
    const noted = client.sendCommand(['ZADD', READS_CHANGED, String(clock.now()), viewer])
    const [reply] = await Promise.all([call(viewer, operations, want), noted])
    return reply
  }

  const load = async (viewer: string, compared: boolean) => {
    const reply = await call(viewer, [], 'a', compared)
    return reply && readsOf(reply[1]!)
  }

  return {
    load: (viewer) => load(viewer, true),
    peek: (viewer) => load(viewer, false),

    async apply(viewer, operations) {
      const reply = await change(viewer, operations.map(toWire), '')
      return reply?.[0] ?? null
    },

    async applyAndCompare(viewer, operation) {
      const reply = await change(viewer, [toWire({ operation })], 'ba')
      return reply && { version: reply[0][0]!, before: readsOf(reply[2]!), after: readsOf(reply[1]!) }
    },

    async flags(viewer, places) {
      const command = ['MGET', readsKey(viewer)]
      const slots = new Map<number, number>()
      const slotOf = places.map(({ topicId, no }) => {
        const index = segmentOf(no)
        // Topic ids are below 2³¹ and segments below 2²², so that one number stands for both.
        const place = topicId * 2 ** 22 + index
        let slot = slots.get(place)
        if (slot === undefined) {
          slot = command.push(readsSegmentKey(viewer, topicId, index)) - 2
          slots.set(place, slot)
        }
        return slot
      })
      const found = (await binary.sendCommand(command)) as unknown as (Buffer | null)[]
      const packed = found[0]
      if (!packed || runOf(packed) !== (run ?? (await currentRun()))) return null
      return flagsOf(packed, places, (i) => found[slotOf[i]!])
    },

    async version(viewer) {
      const packed = (await binary.sendCommand(['GET', readsKey(viewer)])) as unknown as Buffer | null
      return packed && runOf(packed) === (run ?? (await currentRun())) ? versionOf(packed) : null
    },

    async restore(viewer, reads, expiresAt) {
      const { packed, segments } = pack(reads, await currentRun())
      const args: (string | Buffer)[] = [String(clock.now() + idleMs), packed]
      for (const { topicId, index, bytes } of segments)
        args.push(String(topicId), String(index), String(expiresAt(topicId, index)), Buffer.from(bytes))
      await restoring([readsKey(viewer)], args)
    },

    async noteCompared(viewer) {
      await call(viewer, [{ k: 'r', run: await currentRun() }], '', false)
    },

    async discard(viewer) {
      await call(viewer, [{ k: 'x' }], '', false)
    },

    async changedBefore(ms, limit) {
      const command = [
        'ZRANGE',
        READS_CHANGED,
        '-inf',
        String(ms),
        'BYSCORE',
        'LIMIT',
        '0',
        String(limit),
        'WITHSCORES',
      ]
      const flat = (await client.sendCommand(command)) as unknown as string[]
      return flat.flatMap((viewer, i) => (i % 2 === 0 ? [{ viewer, changedAt: Number(flat[i + 1]) }] : []))
    },

    async noteSaved(people) {
      await notingSaved(
        [READS_CHANGED],
        people.flatMap(({ viewer, changedAt }) => [viewer, String(changedAt)]),
      )
    },
  }
}

/** The same answers as server/domain/read/unread.ts, from the bytes: a page looks at few of a person's topics. */
function flagsOf(
  packed: Packed,
  places: readonly ReadPlace[],
  segmentAt: (i: number) => Buffer | null | undefined,
): boolean[] {
  const { unread, layers } = extrasOf(packed)
  return places.map(({ topicId, no, floor, follow }, i) => {
    const start = follow?.start ?? 0
    if (no <= floor) return true
    const topic = findTopic(packed, topicId)
    const isOlder = topic !== null && follow !== null && follow.id > topic.follow
    if (!topic || (isOlder && topic.follow > 0)) return no <= start
    if (isOlder && no <= start) return true
    if (unread.get(topicId)?.has(no)) return false
    if (no <= topic.watermark) return true
    if (layers.some((layer) => no <= (layer.topics.get(topicId)?.upTo ?? 0))) return true
    return segmentOf(no) < topic.segments && hasBit(segmentAt(i), no)
  })
}

async function readRun(client: RedisConnection): Promise<number> {
  const info = String(await client.sendCommand(['INFO', 'server']))
  return Number.parseInt(/run_id:([0-9a-f]{8})/.exec(info)?.[1] ?? '0', 16)
}

const readsOf = (dump: Dump): PersonReads => unpack(dump[0] as Buffer, segmentsOf(dump))

function* segmentsOf(dump: Dump): Iterable<SegmentBytes> {
  for (let i = 1; i < dump.length; i += 3)
    yield { topicId: dump[i] as number, index: dump[i + 1] as number, bytes: dump[i + 2] as Buffer }
}

/** As reads.lua takes it. */
function toWire({ operation, order, version }: Pick<Stored, 'operation'> & Partial<Stored>): object {
  const base = {
    id: operation.id,
    ...(order === undefined ? {} : { o: order }),
    ...(version === undefined ? {} : { v: version }),
  }
  switch (operation.kind) {
    case 'mark': {
      const g = operation.groups.map(({ topicId, follow, start, floor, expiresAt, numbers }) => [
        topicId,
        follow,
        start,
        floor,
        expiresAt,
        ...numbers,
      ])
      return { ...base, k: 'm', r: operation.read ? 1 : 0, g }
    }
    case 'all': {
      const t = operation.topics.map(({ topicId, follow, start, floor, upTo }) => [topicId, follow, start, floor, upTo])
      return { ...base, k: 'a', until: operation.until, t }
    }
    case 'undo':
      return { ...base, k: 'u', undo: operation.undo }
    case 'forget':
      return { ...base, k: 'f', t: operation.topicId, f: operation.follow }
  }
}
