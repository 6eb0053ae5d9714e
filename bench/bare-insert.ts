// The reference for publishing: what Postgres does with one insert of an activity's row, one statement and one commit at
// a time, with no rights, numbers, outbox or log. Each caller has a connection of its own.
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { wordsToFind } from '#server/domain/search/words.ts'
import type { PublishInput } from '#shared/activity.ts'

export type SampleBody = Required<Pick<PublishInput, 'verb' | 'object' | 'summary' | 'metadata'>>

/** Rows per second. */
export async function insertFor(url: string, callers: number, seconds: number, body: SampleBody): Promise<number> {
  const clients = Array.from({ length: callers }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect()))
  try {
    const firsts = await Promise.all(clients.map((client, index) => nextNumber(client, topicOf(index))))
    const start = performance.now()
    const until = start + seconds * 1_000
    let inserted = 0
    const caller = async (client: pg.Client, index: number) => {
      for (let no = firsts[index]!; performance.now() < until; no++) {
        await client.query({ name: 'bare_insert', text: INSERT, values: valuesOf(topicOf(index), no, body) })
        inserted += 1
      }
    }
    await Promise.all(clients.map(caller))
    return inserted / ((performance.now() - start) / 1_000)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

/** Topics that do not exist: nobody else takes numbers there, and the unique index is met as in a publish. */
const topicOf = (caller: number) => -1 - caller

async function nextNumber(client: pg.Client, topic: number): Promise<number> {
  const { rows } = await client.query<{ no: string }>(
    'select coalesce(max(no), 0) + 1 as no from activities where topic_id = $1',
    [topic],
  )
  return Number(rows[0]!.no)
}

const INSERT = `insert into activities (topic_id, seq, no, actor_id, verb, object, summary, metadata, group_key, mentions,
    published_at, source, words)
  values ($1, $2, $2, $3, $4, $5, $6, $7, $8, '{}', clock_timestamp(), 'bench',
    array_to_tsvector(string_to_array($9, ' ')))`

const valuesOf = (topic: number, no: number, { verb, object, summary, metadata }: SampleBody) => [
  topic,
  no,
  'seed-1',
  verb,
  JSON.stringify(object),
  summary,
  JSON.stringify(metadata),
  `bench-${no}`,
  wordsToFind({ kind: 'person', id: 'seed-1', handle: 'seed-1', name: 'Person 1' }, { verb, object, summary }).join(
    ' ',
  ),
]
