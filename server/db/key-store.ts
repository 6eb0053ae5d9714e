// Keys of tools in Postgres. Revoked ones stay as rows, so that what they published can still be traced, but nobody
// finds them any more.
import type pg from 'pg'
import type { KeyStore, StoredKey } from '#server/app/ports.ts'
import type { KeyKind, KeyView } from '#shared/api-key.ts'
import { inTransaction } from './transaction.ts'

const TOPICS = `array(select t.name from api_key_topics g join topics t on t.id = g.topic_id
  where g.key_id = k.id order by t.name) as topics`
const VIEW = `k.id, k.kind, k.name, k.prefix, k.created_at, k.last_used_at, ${TOPICS}`

type ViewRow = {
  id: number
  kind: KeyKind
  name: string
  prefix: string
  topics: string[]
  created_at: Date
  last_used_at: Date | null
}
type KeyRow = {
  id: number
  owner_id: string
  source: string
  prefix: string
  secret_hash: string | null
  topics: string[]
  last_used_at: Date | null
}

export function createKeyStore(pool: pg.Pool): KeyStore {
  return {
    create: (key, max) =>
      inTransaction(pool, async (tx) => {
        // Waits for another one of the same person, so that the count holds.
        await tx.query('select 1 from users where id = $1 for no key update', [key.ownerId])
        const { rows: made } = await tx.query<{ id: number }>(
          `insert into api_keys (kind, owner_id, name, source, prefix, secret_hash, created_at)
           select $1, $2, $3, $4, $5, $6, $7
           where (select count(*) from api_keys where owner_id = $2 and revoked_at is null) < $8 returning id`,
          [key.kind, key.ownerId, key.name, key.source, key.prefix, key.secretHash, key.at, max],
        )
        const id = made[0]?.id
        if (id === undefined) return null
        await tx.query('insert into api_key_topics (key_id, topic_id) select $1, unnest($2::int[])', [id, key.topicIds])
        const { rows } = await tx.query<ViewRow>(`select ${VIEW} from api_keys k where k.id = $1`, [id])
        return toView(rows[0]!)
      }),

    async list(owner) {
      const { rows } = await pool.query<ViewRow>(
        `select ${VIEW} from api_keys k where k.owner_id = $1 and k.revoked_at is null order by k.id desc`,
        [owner],
      )
      return rows.map(toView)
    },

    async revoke(owner, id, at) {
      const { rowCount } = await pool.query(
        'update api_keys set revoked_at = $3 where id = $2 and owner_id = $1 and revoked_at is null',
        [owner, id, at],
      )
      return rowCount === 1
    },

    async find(kind, prefix) {
      const { rows } = await pool.query<KeyRow>({
        name: 'key_find',
        text: `select k.id, k.owner_id, k.source, k.prefix, k.secret_hash, k.last_used_at, ${TOPICS}
               from api_keys k where k.prefix = $1 and k.kind = $2 and k.revoked_at is null`,
        values: [prefix, kind],
      })
      return rows[0] ? toKey(rows[0]) : null
    },

    async used(id, at) {
      await pool.query('update api_keys set last_used_at = $2 where id = $1', [id, at])
    },
  }
}

const toView = (row: ViewRow): KeyView => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  prefix: row.prefix,
  topics: row.topics,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
})

const toKey = (row: KeyRow): StoredKey => ({
  id: row.id,
  ownerId: row.owner_id,
  source: row.source,
  prefix: row.prefix,
  secretHash: row.secret_hash,
  topics: row.topics,
  lastUsedAt: row.last_used_at,
})
