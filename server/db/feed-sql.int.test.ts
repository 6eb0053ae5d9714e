// What a page costs must not depend on how many topics there are, only on how many are followed.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillDatabase } from '#scripts/seed/fill-database.ts'
import { eachDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { feedPageSql } from './feed-sql.ts'
import { createTopicStore } from './topic-store.ts'

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] }
const scannedWhole = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []),
  ...(plan.Plans ?? []).flatMap(scannedWhole),
]

eachDatabase('feed page over many topics', (open) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await open()
    await fillDatabase(database.pool, { activities: 20_000, topics: 4_000, people: 2, follows: 100 })
  })
  afterAll(() => database.stop())

  it.each(['all', 'unread'] as const)(
    '[FEED-8] the filter "%s" probes the topics followed and no others',
    async (kind) => {
      const { topics } = await createTopicStore(database.pool).followed('seed-1')
      const among = topics.map(({ id, no }) => ({ topicId: id, from: Math.max(1, no - 3), to: no }))
      const filter = kind === 'all' ? { kind } : { kind, among }
      const query = { viewer: 'seed-1', before: null, limit: 50, filter, topicId: null, verb: null }
      const { text, values } = feedPageSql(query)
      const { rows: plans } = await database.pool.query(`explain (format json) ${text}`, values)
      expect(scannedWhole(plans[0]['QUERY PLAN'][0].Plan)).not.toContain('topics')
      expect(scannedWhole(plans[0]['QUERY PLAN'][0].Plan)).not.toContain('activities')
      expect((await database.pool.query(text, values)).rows).toHaveLength(50)
    },
  )
})
