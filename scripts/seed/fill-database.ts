// Fills a database with people, topics and history, far faster than publishing would. What it leaves behind looks like
// history whose events have left the outbox: numbers without holes, and the newest event of each topic kept, from which
// the log finds the topic's place. Filling again adds activities and makes only the people and topics that are missing.

/** A pool, or a way to the pool of a running server. Every statement stands for itself. */
export type Database = {
  query: (statement: { name?: string; text: string; values: unknown[] }) => Promise<{ rows: unknown[] }>
}

export type FillSize = { activities: number; topics: number; people: number; follows: number }

export type FillOptions = FillSize & { onProgress?: (line: string) => void }

/** Rows in one statement: large enough that the round trip is nothing, small enough to show progress. */
const BATCH = 5_000
const PROGRESS_EVERY = 50_000
/** The last topics of the list have been quiet since the oldest part of the history. */
const COLD_SHARE = 0.02
const HISTORY_DAYS = 30
/** As after following a topic by hand. */
const UNREAD_AT_MOST = 20

export const topicNameOf = (index: number) => `seed/topic-${index}`

/** Indexes from here on are the cold topics. */
export const firstColdTopic = (topics: number) => topics - Math.floor(topics * COLD_SHARE)

export async function fillDatabase(database: Database, options: FillOptions): Promise<void> {
  const { activities, onProgress = () => {} } = options
  const people = await addPeople(database, options.people)
  const topics = await addTopics(database, options.topics, people)
  onProgress(`${people.length} people, ${topics.length} topics`)
  await dropEvents(database, topics)
  await addActivities(database, { count: activities, topics, people, onProgress })
  await keepNewestEvents(database, topics)
  await addFollows(database, options.follows, topics, people)
  await database.query({ text: 'analyze', values: [] })
  onProgress(`each person follows ${Math.min(options.follows, topics.length)} topics`)
}

/** People who exist already count, so that whoever can sign in sees the history. */
async function addPeople(database: Database, count: number): Promise<string[]> {
  await database.query({
    text: `insert into users (id, name, email, handle)
      select 'seed-' || n, 'Person ' || n, 'seed-' || n || '@example.com', 'seed-' || n
      from generate_series(1, greatest(0, $1::int - (select count(*)::int from users where id not like 'seed-%'))) n
      on conflict do nothing`,
    values: [count],
  })
  const { rows } = await database.query({
    text: `select id from users order by id like 'seed-%', id limit $1`,
    values: [count],
  })
  return (rows as { id: string }[]).map(({ id }) => id)
}

/** The ids in the order of their indexes. */
async function addTopics(database: Database, count: number, people: string[]): Promise<number[]> {
  const { rows } = await database.query({
    text: `with wanted as (select n, $3 || n as name from generate_series(0, $1::int - 1) n),
      made as (insert into topics (name, description, visibility)
        select w.name, 'Filled with made-up history.', 'public' from wanted w order by w.n
        on conflict do nothing returning id, name),
      heads as (insert into topic_heads (topic_id) select id from made),
      owners as (insert into topic_members (topic_id, user_id, role)
        select m.id, ($2::text[])[1 + w.n % cardinality($2::text[])], 'owner' from made m join wanted w using (name))
      select coalesce(m.id, t.id) as id from wanted w left join made m using (name) left join topics t using (name)
      order by w.n`,
    values: [count, people, topicNameOf(0).slice(0, -1)],
  })
  return (rows as { id: number }[]).map(({ id }) => id)
}

/** A hole in what the outbox keeps of a topic would stop its way to the log: all of it goes before the numbers jump. */
const dropEvents = (database: Database, topics: number[]) =>
  database.query({ text: 'delete from events where topic_id = any($1::int[])', values: [topics] })

type Filling = { count: number; topics: number[]; people: string[]; onProgress: (line: string) => void }

async function addActivities(database: Database, { count, topics, people, onProgress }: Filling): Promise<void> {
  // History goes on where it ended, so that times rise with ids however often a database is filled.
  const { rows } = await database.query({
    text: 'select greatest(max(latest_at), now() - make_interval(days => $1)) as from from topic_heads',
    values: [HISTORY_DAYS],
  })
  const [{ from }] = rows as [{ from: Date | string }]
  const warm = firstColdTopic(topics.length)
  for (let start = 0; start < count; start += BATCH) {
    const end = Math.min(start + BATCH, count)
    await database.query({
      name: 'fill_activities',
      text: FILL,
      values: [start, end, count, count * COLD_SHARE, topics, warm, people, from],
    })
    if (end % PROGRESS_EVERY === 0 || end === count) onProgress(`${end} of ${count} activities`)
  }
}

/**
 * The oldest share goes to the cold topics in turn, the rest to the others by chance, some far busier than others. The
 * head rows are locked as in a publish, so a running server is only slowed down.
 */
const FILL = `with picked as materialized (
    select g, ($5::int[])[1 + case
        when g < $4::float8 and $6::int < cardinality($5::int[]) then $6::int + g % (cardinality($5::int[]) - $6::int)
        else floor($6::int * power((hashint8extended(g, 1) & 1048575) / 1048576.0, 2))::int end] as topic_id,
      ($7::text[])[1 + (hashint8extended(g, 2) & 1048575) % cardinality($7::text[])] as actor_id,
      (array['commented', 'opened', 'closed', 'deployed', 'reviewed'])[1 + (hashint8extended(g, 3) & 1023) % 5] as verb,
      $8::timestamptz + (now() - $8::timestamptz) * (g / $3::float8) as at
    from generate_series($1::int, $2::int - 1) g),
  heads as materialized (
    select h.topic_id, h.seq, h.no from topic_heads h
    where h.topic_id in (select p.topic_id from picked p) order by h.topic_id for update),
  placed as materialized (
    select p.*, h.seq + row_number() over place as seq, h.no + row_number() over place as no
    from picked p join heads h using (topic_id) window place as (partition by p.topic_id order by p.g)),
  stored as (
    insert into activities (topic_id, seq, no, actor_id, verb, object, target, summary, metadata, group_key, mentions,
      published_at, source, words)
    select topic_id, seq, no, actor_id, verb,
      jsonb_build_object('type', 'issue', 'id', g::text, 'title', 'Made-up issue ' || g), null,
      'Made-up activity ' || g || ', about as long as what people usually write in one line.',
      jsonb_build_object('build', g % 1000), null, '{}', at, 'seed',
      array_to_tsvector(string_to_array('made up issue activity about as long what people usually write in one line', ' ')
        || array[verb, g::text])
    from placed order by g)
  update topic_heads h set seq = n.seq, no = n.no, latest_at = n.at
  from (select topic_id, max(seq) as seq, max(no) as no, max(at) as at from placed group by topic_id) n
  where h.topic_id = n.topic_id`

/**
 * Position 0 means "in the log, place not known": the sweep leaves it alone, and reconciling sends it once. What was
 * published in between, by people, is history too.
 */
const keepNewestEvents = (database: Database, topics: number[]) =>
  database.query({
    text: `with older as (
        delete from events e using topic_heads h
        where h.topic_id = e.topic_id and e.seq < h.seq and h.topic_id = any($1::int[]))
      insert into events (topic_id, seq, activity_id, created_at, log_ms, log_n)
      select a.topic_id, a.seq, a.id, a.published_at, 0, 0
      from topic_heads h join activities a on a.topic_id = h.topic_id and a.no = h.no and a.seq = h.seq
      where h.topic_id = any($1::int[]) on conflict do nothing`,
    values: [topics],
  })

async function addFollows(database: Database, count: number, topics: number[], people: string[]): Promise<void> {
  const values = [people, topics, Math.min(count, topics.length)]
  // Evenly over the list, shifted from person to person: busy topics and quiet ones.
  const chosen = `select p.id as user_id, ($2::int[])[1 + (
      (p.place * 37 + k * cardinality($2::int[])::bigint / $3::int) % cardinality($2::int[]))::int] as topic_id
    from unnest($1::text[]) with ordinality as p(id, place) cross join generate_series(0, $3::int - 1) k`
  await database.query({
    text: `insert into follows (user_id, topic_id, start_no)
      select c.user_id, c.topic_id, greatest(h.no - ${UNREAD_AT_MOST}, 0)
      from (${chosen}) c join topic_heads h on h.topic_id = c.topic_id on conflict do nothing`,
    values,
  })
  await database.query({
    text: 'update users set follows_version = follows_version + 1 where id = any($1::text[])',
    values: [people],
  })
}
