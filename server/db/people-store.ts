// People as others see them.
import type pg from 'pg'
import type { PeopleStore } from '#server/app/ports.ts'
import type { Me, Person } from '#shared/person.ts'
import { mayView } from './feed-sql.ts'

export function createPeopleStore(pool: pg.Pool): PeopleStore {
  return {
    async byHandle(handle) {
      const { rows } = await pool.query<Person>('select id, handle, name from users where handle = $1', [handle])
      return rows[0] ?? null
    },

    async complete({ viewer, prefix, topicId, limit }) {
      const pattern = `${prefix.replace(/[\\%_]/g, '\\$&')}%`
      const { rows } = await pool.query<Person>(
        `select u.id, u.handle, u.name from users u
         where (u.handle like $1 or lower(u.name) like $1 or lower(u.name) like '% ' || $1)
           and ($2::int is null or (${mayView('$2::int', 'u.id')} and ${mayView('$2::int', '$4')}))
         order by u.handle limit $3`,
        [pattern, topicId, limit, viewer],
      )
      return rows
    },

    async rename(id, name) {
      const { rows } = await pool.query<Me>(
        `update users set name = $2, updated_at = now() where id = $1
         returning id, handle, name, email, role, follows_version as "followsVersion"`,
        [id, name],
      )
      return rows[0]!
    },
  }
}
