// Search over real HTTP, on both databases: what is found, by whom, in which order, and what it costs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fillDatabase } from '#scripts/seed/fill-database.ts'
import { eachDatabase, type TestDatabase } from '#scripts/testing/databases.ts'
import { type Product, startProduct, type TestPerson } from '#server/testing/product.fixture.ts'
import type { SearchPage } from '#shared/search.ts'
import { createSearchStore, searchSql } from './search-store.ts'

eachDatabase('search', (open, kind) => {
  describe('what is found', () => {
    let product: Product
    let ada: TestPerson
    let ben: TestPerson

    beforeAll(async () => {
      product = await startProduct(kind)
      ada = await product.person('ada')
      ben = await product.person('ben')
      await ada.call('topics.create', { name: 'project/open' })
      await ada.call('topics.create', { name: 'team/secret', visibility: 'private' })
      const publish = (topic: string, summary: string, more: object = {}) =>
        ada.call('activities.publish', { topic, verb: 'posted', summary, ...more })
      await publish('project/open', 'The first deployment of Apollo.')
      await publish('project/open', 'Ärger mit build-7, siehe “Notizen”.')
      await publish('project/open', 'Quiet.', {
        verb: 'force-pushed',
        object: { type: 'release', id: '2.4.0', title: 'apollo <b>2.4.0</b>', url: 'https://example.org/secret-path' },
        target: { type: 'branch', id: 'main', title: 'Hauptzweig' },
      })
      await publish('project/open', '½ of it ①')
      await publish('team/secret', 'A secret deployment of Apollo.')
      await ben.call('activities.publish', { topic: 'project/open', verb: 'posted', summary: 'Lunch?' })
    })
    afterAll(() => product.stop())

    // The embedded Postgres has one connection, for which nobody else can make it wait.
    if (kind === 'postgres')
      it('[FEED-7] a search that takes too long is ended, said so, and holds nothing', async () => {
        const { id: viewer } = await ada.query('me.get')
        const search = createSearchStore(product.pool, 100)
        const query = { viewer, words: ['deploy'], topicId: null, before: null, limit: 5 }
        const other = await product.pool.connect()
        try {
          await other.query('begin')
          await other.query('lock table users in access exclusive mode')
          await expect(search.find(query)).rejects.toMatchObject({ code: 'TOO_SLOW', field: 'q' })
        } finally {
          await other.query('rollback')
          other.release()
        }
        expect(await search.find(query)).toHaveLength(2)
        const settings = await Promise.all(
          Array.from({ length: 10 }, async () => (await product.pool.query('show statement_timeout')).rows[0]),
        )
        expect(settings.every(({ statement_timeout }) => statement_timeout === '0')).toBe(true)
      })

    const find = (who: TestPerson, q: string, more: object = {}): Promise<SearchPage> =>
      who.query('search.query', { q, ...more })
    const found = async (who: TestPerson, q: string, more: object = {}) =>
      (await find(who, q, more)).hits.map(({ item }) => item.summary)

    it.each([
      ['deploy', ['The first deployment of Apollo.']],
      ['DEPLOY apol', ['The first deployment of Apollo.']],
      ['ärger', ['Ärger mit build-7, siehe “Notizen”.']],
      ['build-7', ['Ärger mit build-7, siehe “Notizen”.']],
      ['notiz', ['Ärger mit build-7, siehe “Notizen”.']],
      ['2.4', ['Quiet.']],
      ['hauptzweig', ['Quiet.']],
      ['½', ['½ of it ①']],
      ['pushed', ['Quiet.']],
      ['ben', ['Lunch?']],
      ['ben lunch', ['Lunch?']],
      ['ada lunch', []],
      ['nothing like it', []],
      ['ployment', []],
      ['secret-path', []],
      ['', []],
      [" ' & | ! :* ( <-> \\ ", []],
      ["a'b:*&!(c", []],
    ])('[FEED-7] %j', async (q, summaries) => {
      expect(await found(ben, q)).toEqual(summaries)
    })

    it('[FEED-2] nobody finds what is in a private topic they are not in, also by naming it', async () => {
      expect(await found(ada, 'deployment')).toEqual([
        'A secret deployment of Apollo.',
        'The first deployment of Apollo.',
      ])
      expect(await found(ben, 'secret')).toEqual([])
      const hidden = await ben.refusal('search.query', { q: 'apollo', topic: 'team/secret' }, 'query')
      const missing = await ben.refusal('search.query', { q: 'apollo', topic: 'team/none' }, 'query')
      expect([hidden.status, hidden.body.message]).toEqual([missing.status, missing.body.message])
      await ada.call('topics.members.set', { topic: 'team/secret', handle: 'ben', role: 'member' })
      expect(await found(ben, 'secret')).toEqual(['A secret deployment of Apollo.'])
      await ada.call('topics.members.remove', { topic: 'team/secret', handle: 'ben' })
      expect(await found(ben, 'secret')).toEqual([])
    })

    it('[FEED-7] one topic only, when asked', async () => {
      expect(await found(ada, 'apollo', { topic: 'team/secret' })).toEqual(['A secret deployment of Apollo.'])
    })

    it('[FEED-7] matches are marked as pieces of the text', async () => {
      const { hits } = await find(ben, 'apollo 4')
      expect(hits[0]!.marks.object).toEqual([
        { text: 'apollo', hit: true },
        { text: ' <b>2.', hit: false },
        { text: '4', hit: true },
        { text: '.0</b>', hit: false },
      ])
    })

    it('[FEED-7] pages go back without a gap or a repeat while new ones arrive', async () => {
      await ada.call('topics.create', { name: 'project/pages' })
      const numbers = Array.from({ length: 25 }, (_, i) => i)
      for (const i of numbers)
        await ada.call('activities.publish', { topic: 'project/pages', verb: 'posted', summary: `Paging ${i}` })
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: SearchPage = await find(ben, 'paging', { limit: 7, cursor })
        seen.push(...page.hits.map(({ item }) => item.summary))
        cursor = page.nextCursor
        await ada.call('activities.publish', { topic: 'project/pages', verb: 'posted', summary: 'Paging, newer' })
      } while (cursor)
      expect(seen).toEqual(numbers.map((i) => `Paging ${i}`).reverse())
    })

    it('[FEED-9] bad input is refused by field', async () => {
      const refused = async (input: object) => {
        const { status, body } = await ben.refusal('search.query', input, 'query')
        return [status, body.field]
      }
      expect(await refused({ q: 'a'.repeat(201) })).toEqual([400, 'q'])
      expect(await refused({ q: 'a', limit: 51 })).toEqual([400, 'limit'])
      expect(await refused({ q: 'a', cursor: 'nonsense' })).toEqual([400, 'cursor'])
      expect(await refused({ q: 'a', topic: 'Bad' })).toEqual([400, 'topic'])
    })

    it('[FEED-7] a word longer than can be indexed is stored all the same', async () => {
      const summary = `endless ${'長'.repeat(3_000)}`
      await ada.call('activities.publish', { topic: 'project/open', verb: 'posted', summary })
      expect(await found(ben, 'endless')).toEqual([summary])
    })
  })

  describe('what it costs', () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await open()
      await fillDatabase(database.pool, { activities: 20_000, topics: 200, people: 20, follows: 50 })
      await database.pool.query(
        `update activities set words = 'needle'::tsvector where id in (select id from activities order by id limit 3)`,
      )
      await database.pool.query('analyze activities')
    })
    afterAll(() => database.stop())

    it.each([
      ['a word', [{ word: 'needle', people: [] }]],
      ['a word that is also a name', [{ word: 'needle', people: ['seed-nobody'] }]],
    ])('[FEED-8] %s is looked up in the index, the table is not read', async (_, meanings) => {
      const query = { viewer: 'seed-1', topicId: null, before: null, limit: 20 }
      const { text, values } = searchSql(query, meanings)
      const { rows } = await database.pool.query(`explain (format json) ${text}`, values)
      const plan = JSON.stringify(rows[0]['QUERY PLAN'])
      expect(plan).toContain('activities_words')
      expect(plan).not.toMatch(/"Seq Scan","[^}]*"Relation Name":"activities"/)
      expect((await database.pool.query(text, values)).rows).toHaveLength(3)
    })
  })
})
