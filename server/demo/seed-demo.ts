// The demo's first state: topics, who is in them, and two days of history. Does nothing where topics exist already.
import type pg from 'pg'
import { createPeopleStore } from '#server/db/people-store.ts'
import { createTopicStore } from '#server/db/topic-store.ts'
import type { Services } from '#server/services.ts'
import { seededRandom } from '#shared/clock.ts'
import { publishStory } from './demo-bot.ts'
import { DEMO_TOPICS, tellStory } from './stories.ts'

const HISTORY = 160
const HISTORY_HOURS = 50
/** Older history has been read: a newcomer should find a morning's news, not a backlog. */
const UNREAD_PER_TOPIC = 2

export async function seedDemo(pool: pg.Pool, services: Services, handles: readonly string[]): Promise<void> {
  const { rows } = await pool.query('select 1 from topics where name = $1', [DEMO_TOPICS[0].name])
  if (rows.length > 0) return
  const people = createPeopleStore(pool)
  const { changeTopics, publishActivity } = services
  for (const topic of DEMO_TOPICS) {
    const owner = await people.byHandle(topic.owner)
    if (!owner) continue
    await changeTopics.create(owner, {
      name: topic.name,
      description: topic.description,
      visibility: topic.visibility,
      posting: 'everyone',
    })
    const members = 'members' in topic ? topic.members : []
    for (const handle of members) await changeTopics.setMember(owner.id, { topic: topic.name, handle, role: 'member' })
    for (const handle of topic.visibility === 'public' ? handles : members) {
      const person = await people.byHandle(handle)
      if (person) await changeTopics.follow(person.id, topic.name)
    }
  }
  const random = seededRandom(2026)
  const told = Array.from({ length: HISTORY }, () =>
    publishStory({ publish: publishActivity.publish, people }, tellStory(random)),
  )
  await Promise.all(told)
  await publishActivity.settle()
  // History has to look like history: spread it over the last days, in the order of its ids.
  await pool.query(
    `update activities a set published_at = now() - make_interval(secs => (1 - p.place) * $1 * 3600)
     from (select d.id, percent_rank() over (order by d.id) as place from activities d join topics t on t.id = d.topic_id
       where t.name = any($2)) p where p.id = a.id`,
    [HISTORY_HOURS, DEMO_TOPICS.map(({ name }) => name)],
  )
  const topics = createTopicStore(pool)
  for (const handle of handles) {
    const person = await people.byHandle(handle)
    if (!person) continue
    const { topics: followed } = await topics.followed(person.id)
    const upTo = followed.map(({ id, no }) => ({ topicId: id, no: Math.max(0, no - UNREAD_PER_TOPIC) }))
    await services.reads.markUpTo(person.id, upTo)
  }
}
