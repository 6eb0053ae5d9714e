// Search in Postgres: the words of activities are indexed; names of people are looked up first, because they can change.
import type pg from 'pg'
import type { SearchQuery, SearchStore } from '#server/app/ports.ts'
import { type ActivityRow, toActivity } from '#server/domain/feed/wire.ts'
import { AppError } from '#shared/errors.ts'
import { ITEM_COLUMNS, ITEM_JOINS, mayView } from './feed-sql.ts'
import { inTransaction, type Queryable } from './transaction.ts'

/** A word that begins the names of more people than this says nothing about any of them. */
const PEOPLE_MAX = 50

/** A word of a query and the people whose name or handle has one that begins so. */
type Meaning = { word: string; people: string[] }

/** Postgres ended a statement that took longer than it may. */
const TIMED_OUT = '57014'

/** `limitMs`: for one statement; whoever asks for too much must not hold a connection that others wait for. */
export function createSearchStore(pool: pg.Pool, limitMs: number): SearchStore {
  async function meaningOf(tx: Queryable, word: string): Promise<Meaning> {
    const { rows } = await tx.query<{ id: string }>({
      name: 'search_people',
      text: `select id from users
             where ' ' || translate(lower(handle || ' ' || name), '-_.''', '    ') like '% ' || $1 || '%' limit $2`,
      values: [word, PEOPLE_MAX + 1],
    })
    return { word, people: rows.length > PEOPLE_MAX ? [] : rows.map(({ id }) => id) }
  }

  return {
    async find(query) {
      try {
        return await inTransaction(pool, async (tx) => {
          await tx.query(`set local statement_timeout = ${limitMs}`)
          const meanings: Meaning[] = []
          for (const word of query.words) meanings.push(await meaningOf(tx, word))
          const { text, values } = searchSql(query, meanings)
          const { rows } = await tx.query<ActivityRow>({ text, values })
          return rows.map(toActivity)
        })
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === TIMED_OUT)) throw error
        throw new AppError('TOO_SLOW', 'This search takes too long: use more or longer words.', {
          field: 'q',
          cause: error,
        })
      }
    },
  }
}

export function searchSql({ viewer, topicId, before, limit }: Omit<SearchQuery, 'words'>, meanings: Meaning[]) {
  const values: unknown[] = [viewer, limit, before ?? Number.MAX_SAFE_INTEGER]
  const add = (value: unknown) => `$${values.push(value)}`
  // Words are letters and digits, so nothing in them means anything to a text query.
  const begins = (words: string[]) => `a.words @@ ${add(words.map((word) => `'${word}':*`).join(' & '))}::tsquery`
  const named = meanings.filter(({ people }) => people.length > 0)
  const plain = meanings.filter(({ people }) => people.length === 0).map(({ word }) => word)
  const conditions = [
    ...(plain.length > 0 ? [begins(plain)] : []),
    ...named.map(({ word, people }) => `(${begins([word])} or a.actor_id = any(${add(people)}::text[]))`),
    ...(topicId === null ? [] : [`a.topic_id = ${add(topicId)}`]),
    mayView('a.topic_id', '$1'),
  ]
  const text = `select ${ITEM_COLUMNS} from (
      select a.id from activities a where a.id < $3 and ${conditions.join(' and ')} order by a.id desc limit $2) picked
    join activities a on a.id = picked.id ${ITEM_JOINS} order by a.id desc`
  return { text, values }
}
