// The SQL of a feed page. The cost is in topics followed, not in activities stored: one index probe per topic finds its
// newest candidate, the k-th newest of those is a lower bound for the whole page, and only rows above it are read
// (docs/decisions/0004). So there is no cliff for quiet topics, and a bigger table changes nothing.
import type { PageQuery } from '#server/app/ports.ts'
import { TALK_COLUMNS, TALK_JOINS } from './talk-row.ts'

/**
 * Whether a viewer may see a topic; the only place that spells out the view's two cases. `offset 0` keeps it a probe per
 * topic asked about: Postgres would otherwise join with the list of all topics, and a page would cost by their number.
 */
export const mayView = (topic: string, viewer: string) =>
  `exists (select 1 from topic_access v where v.topic_id = ${topic} and (v.user_id is null or v.user_id = ${viewer}) offset 0)`

/** Of the handles written, in their order, those of people who may see the topic. */
export const seenMentions = (handles: string, topic: string) =>
  `array(select u.handle from users u where u.handle = any(${handles}::text[]) and ${mayView(`${topic}::int`, 'u.id')}
     order by array_position(${handles}::text[], u.handle))`

export const ITEM_COLUMNS = `a.id, a.topic_id, t.name as topic_name, t.visibility as topic_visibility, a.seq, a.no,
  a.actor_id, p.handle as actor_handle, p.name as actor_name, a.actor_tool, a.verb, a.object, a.target, a.summary,
  a.metadata, a.group_key, a.mentions, a.published_at, a.occurred_at, a.source,
  a.version, a.edited_at, a.edited_by, ed.handle as editor_handle, ed.name as editor_name`

export const PEOPLE_JOINS = `left join users p on p.id = a.actor_id left join users ed on ed.id = a.edited_by`
export const ITEM_JOINS = `join topics t on t.id = a.topic_id ${PEOPLE_JOINS}`

type Statement = { name: string; text: string; values: unknown[] }

export function feedPageSql(query: PageQuery): Statement {
  const values: unknown[] = [query.viewer, query.limit, query.before ?? Number.MAX_SAFE_INTEGER]
  const add = (value: unknown) => `$${values.push(value)}`
  const verb = query.verb === null ? '' : ` and a.verb = ${add(query.verb)}`
  const { kind } = query.filter
  if (query.filter.kind === 'unread') {
    const { among } = query.filter
    const lists = [among.map((r) => r.topicId), among.map((r) => r.from), among.map((r) => r.to)].map(add)
    return { name: `page_unread${verb ? '_verb' : ''}`, text: unreadPage(lists, verb), values }
  }
  const topic = query.topicId === null ? null : add(query.topicId)
  const name = `page_${kind}${topic ? '_topic' : ''}${verb ? '_verb' : ''}`
  if (kind === 'mentions') return { name, text: mentionsPage(topic, verb), values }
  return { name, text: topic ? topicPage(topic, verb) : followedPage(verb), values }
}

/** $1 is the viewer. */
const items = (picked: string) => `select ${ITEM_COLUMNS}, ${TALK_COLUMNS} from (${picked}) picked
  join activities a on a.id = picked.id ${ITEM_JOINS} ${TALK_JOINS} order by a.id desc`

const topicPage = (topic: string, verb: string) =>
  items(`select a.id from activities a where a.topic_id = ${topic} and a.id < $3${verb}
    and ${mayView(topic, '$1')} order by a.id desc limit $2`)

const followedPage = (verb: string) =>
  items(`with newest as materialized (
      select f.topic_id, n.id from follows f
      cross join lateral (
        select a.id from activities a where a.topic_id = f.topic_id and a.id < $3${verb} order by a.id desc limit 1) n
      where f.user_id = $1 and ${mayView('f.topic_id', '$1')}
      order by n.id desc limit $2),
    bound as materialized (select case when count(*) = $2 then min(id) else 0 end as id from newest)
    select c.id from newest cross join bound
    cross join lateral (
      select a.id from activities a
      where a.topic_id = newest.topic_id and a.id < $3 and a.id >= bound.id${verb} order by a.id desc limit $2) c
    order by c.id desc limit $2`)

const mentionsPage = (topic: string | null, verb: string) =>
  items(`select m.activity_id as id from activity_mentions m join activities a on a.id = m.activity_id
    where m.user_id = $1 and m.activity_id < $3${topic ? ` and m.topic_id = ${topic}` : ''}${verb}
      and ${mayView('m.topic_id', '$1')}
    order by m.activity_id desc limit $2`)

/** The caller knows which numbers are unread, so sparse ones are found without walking the history. */
const unreadPage = ([topics, from, to]: string[], verb: string) =>
  items(`select c.id from unnest(${topics}::int[], ${from}::bigint[], ${to}::bigint[]) as r(topic_id, from_no, to_no)
    cross join lateral (
      select a.id from activities a
      where a.topic_id = r.topic_id and a.no between r.from_no and r.to_no and a.id < $3${verb}
      order by a.no desc limit $2) c
    where ${mayView('r.topic_id', '$1')}
    order by c.id desc limit $2`)
