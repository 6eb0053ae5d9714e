// Topics, members and follows in Postgres. A change that readers must apply in order takes the next seq of the topic in
// the same transaction, under the same lock as a publish.
import type pg from 'pg'
import type { ChangeOutcome, Followed, TopicEdit, TopicRef, TopicStore } from '#server/app/ports.ts'
import type { TopicChange } from '#shared/live-events.ts'
import type { MemberView, TopicView } from '#shared/topic.ts'
import { appendChange } from './append-change.ts'
import { coalesce } from './coalesce.ts'
import { mayView } from './feed-sql.ts'
import { inTransaction, type Queryable } from './transaction.ts'

/** What one follows comes first, so that a long list never hides it. */
const LIST_MAX = 2_000
/** A new follower finds at most this many waiting, not the whole history. */
const FOLLOW_UNREAD_MAX = 20

const VIEW_COLUMNS = `t.id, t.name, t.description, t.visibility, t.posting,
  f.user_id is not null as following, coalesce(f.muted, false) as muted, m.role,
  (t.posting = 'everyone' or coalesce(m.role = 'owner', false)) as may_post,
  (select count(*) from follows c where c.topic_id = t.id) as followers, h.no as head_no, h.latest_at`

const VIEW_JOINS = `join topic_heads h on h.topic_id = t.id
  left join follows f on f.topic_id = t.id and f.user_id = $1
  left join topic_members m on m.topic_id = t.id and m.user_id = $1`

type ViewRow = Omit<TopicView, 'mayPost' | 'headNo' | 'latestAt' | 'followers'> & {
  may_post: boolean
  head_no: string
  latest_at: Date | null
  followers: string
}

const toView = ({ may_post, head_no, latest_at, followers, ...row }: ViewRow): TopicView => ({
  ...row,
  mayPost: may_post,
  followers: Number(followers),
  headNo: Number(head_no),
  latestAt: latest_at?.toISOString() ?? null,
})

export function createTopicStore(pool: pg.Pool): TopicStore {
  return {
    async find(viewer, name) {
      const { rows } = await pool.query<TopicRef>({
        name: 'topic_find',
        text: `select t.id, t.name, t.visibility from topics t where t.name = $2 and ${mayView('t.id', '$1')}`,
        values: [viewer, name],
      })
      return rows[0] ?? null
    },

    async bounds(topicId) {
      const { rows } = await pool.query<Record<'seq' | 'no' | 'floor_no', string>>(
        'select seq, no, floor_no from topic_heads where topic_id = $1',
        [topicId],
      )
      const { seq, no, floor_no } = rows[0] ?? { seq: 0, no: 0, floor_no: 0 }
      return { seq: Number(seq), no: Number(no), floor: Number(floor_no) }
    },

    async view(viewer, name) {
      const { rows } = await pool.query<ViewRow>(
        `select ${VIEW_COLUMNS} from topics t ${VIEW_JOINS} where t.name = $2 and ${mayView('t.id', '$1')}`,
        [viewer, name],
      )
      return rows[0] ? toView(rows[0]) : null
    },

    async list(viewer) {
      const { rows } = await pool.query<ViewRow>(
        `select ${VIEW_COLUMNS} from topics t ${VIEW_JOINS} where ${mayView('t.id', '$1')} 
         order by f.user_id is null, t.name limit ${LIST_MAX}`,
        [viewer],
      )
      return rows.map(toView)
    },

    async members(topicId) {
      const { rows } = await pool.query<MemberView>(
        `select u.id, u.handle, u.name, m.role from topic_members m join users u on u.id = m.user_id
         where m.topic_id = $1 order by m.role desc, u.name`,
        [topicId],
      )
      return rows
    },

    create: (owner, input) =>
      inTransaction(pool, async (tx) => {
        const { rows } = await tx.query<TopicRef>(
          `insert into topics (name, description, visibility, posting) values ($1, $2, $3, $4)
           on conflict (name) do nothing returning id, name, visibility`,
          [input.name, input.description, input.visibility, input.posting],
        )
        const topic = rows[0]
        if (!topic) return null
        await tx.query('insert into topic_heads (topic_id) values ($1)', [topic.id])
        await tx.query("insert into topic_members (topic_id, user_id, role) values ($1, $2, 'owner')", [
          topic.id,
          owner.id,
        ])
        const { id, handle, name } = owner
        await appendChange(tx, topic.id, { kind: 'member', person: { id, handle, name }, state: 'owner' })
        await tx.query('insert into follows (user_id, topic_id) values ($1, $2)', [owner.id, topic.id])
        await raiseFollows(tx, owner.id)
        return topic
      }),

    change: (topicId, actor, edit) =>
      inTransaction(pool, async (tx) => {
        // The lock comes first: what we decide on cannot change under us, and no publish slips in between.
        await tx.query('select 1 from topic_heads where topic_id = $1 for update', [topicId])
        return edit.kind === 'member'
          ? changeMember(tx, topicId, actor, edit)
          : changeSettings(tx, topicId, actor, edit)
      }),

    follow: (viewer, topicId) =>
      inTransaction(pool, async (tx) => {
        const { rowCount } = await tx.query(
          `insert into follows (user_id, topic_id, start_no) select $1, h.topic_id, greatest(h.no - $3, 0) from topic_heads h
           where h.topic_id = $2 and ${mayView('$2::int', '$1')} on conflict do nothing`,
          [viewer, topicId, FOLLOW_UNREAD_MAX],
        )
        return rowCount ? raiseFollows(tx, viewer) : followsVersion(tx, viewer)
      }),

    unfollow: (viewer, topicId) =>
      inTransaction(pool, async (tx) => {
        const follow = await dropFollow(tx, viewer, topicId)
        return { follow, version: await (follow === null ? followsVersion(tx, viewer) : raiseFollows(tx, viewer)) }
      }),

    mute: (viewer, topicId, muted) =>
      inTransaction(pool, async (tx) => {
        const { rowCount } = await tx.query('update follows set muted = $3 where user_id = $1 and topic_id = $2', [
          viewer,
          topicId,
          muted,
        ])
        return rowCount ? raiseFollows(tx, viewer) : null
      }),

    followed: coalesce((viewers) => followedBy(pool, viewers)),

    async followsVersions(people) {
      const { rows } = await pool.query<{ id: string; version: number }>(
        'select id, follows_version as version from users where id = any($1)',
        [people],
      )
      return new Map(rows.map(({ id, version }) => [id, version]))
    },

    async readers(topicId, people) {
      const { rows } = await pool.query<{ id: string }>(
        `select p.id from unnest($2::text[]) as p(id) where ${mayView('$1::int', 'p.id')}`,
        [topicId, people],
      )
      return rows.map(({ id }) => id)
    },
  }
}

type FollowRow = { viewer: string; version: number; id: number | null; muted: boolean } & Record<
  'seq' | 'no' | 'floor_no' | 'follow' | 'start_no',
  string
>

export async function followedBy(db: Queryable, viewers: string[]): Promise<Map<string, Followed>> {
  const { rows } = await db.query<FollowRow>({
    name: 'followed',
    text: `select u.id as viewer, u.follows_version as version, f.topic_id as id, h.seq, h.no, h.floor_no, f.muted,
        f.id as follow, f.start_no from users u
      left join (follows f join topic_heads h on h.topic_id = f.topic_id)
        on f.user_id = u.id and ${mayView('f.topic_id', 'u.id')}
      where u.id = any($1)`,
    values: [viewers],
  })
  const found = new Map<string, Followed>(viewers.map((viewer) => [viewer, { version: 0, topics: [] }]))
  for (const { viewer, version, id, muted, ...row } of rows) {
    const followed = found.get(viewer)!
    followed.version = version
    if (id === null) continue
    const follow = { id: Number(row.follow), start: Number(row.start_no) }
    followed.topics.push({ id, seq: Number(row.seq), no: Number(row.no), floor: Number(row.floor_no), muted, follow })
  }
  return found
}

async function changeMember(
  tx: Queryable,
  topicId: number,
  actor: string,
  edit: TopicEdit & { kind: 'member' },
): Promise<ChangeOutcome> {
  const { rows } = await tx.query<{ user_id: string; role: 'owner' | 'member' }>(
    "select user_id, role from topic_members where topic_id = $1 and (user_id = any($2) or role = 'owner')",
    [topicId, [actor, edit.person.id]],
  )
  const roleOf = (id: string) => rows.find((row) => row.user_id === id)?.role ?? null
  const leaving = edit.state === 'removed' && edit.person.id === actor
  if (roleOf(actor) !== 'owner' && !leaving) return { outcome: 'not-owner' }
  const current = roleOf(edit.person.id)
  if ((current ?? 'removed') === edit.state) return { outcome: 'unchanged' }
  const owners = rows.filter((row) => row.role === 'owner')
  if (current === 'owner' && edit.state !== 'owner' && owners.length === 1) return { outcome: 'last-owner' }

  if (edit.state === 'removed') {
    await tx.query('delete from topic_members where topic_id = $1 and user_id = $2', [topicId, edit.person.id])
    await dropHiddenFollows(tx, topicId)
  } else {
    await tx.query(
      `insert into topic_members (topic_id, user_id, role) values ($1, $2, $3)
       on conflict (topic_id, user_id) do update set role = excluded.role`,
      [topicId, edit.person.id, edit.state],
    )
  }
  const { id, handle, name } = edit.person
  const change: TopicChange = { kind: 'member', person: { id, handle, name }, state: edit.state }
  return { outcome: 'changed', seq: await appendChange(tx, topicId, change), change }
}

async function changeSettings(
  tx: Queryable,
  topicId: number,
  actor: string,
  edit: TopicEdit & { kind: 'settings' },
): Promise<ChangeOutcome> {
  const { rows: owner } = await tx.query(
    "select 1 from topic_members where topic_id = $1 and user_id = $2 and role = 'owner'",
    [topicId, actor],
  )
  if (owner.length === 0) return { outcome: 'not-owner' }
  const { rows } = await tx.query<Omit<TopicChange & { kind: 'settings' }, 'kind'>>(
    `update topics set description = coalesce($2, description), visibility = coalesce($3, visibility), posting = coalesce($4, posting)
     where id = $1 returning description, visibility, posting`,
    [topicId, edit.description ?? null, edit.visibility ?? null, edit.posting ?? null],
  )
  const change: TopicChange = { kind: 'settings', ...rows[0]! }
  if (change.visibility === 'private') await dropHiddenFollows(tx, topicId)
  return { outcome: 'changed', seq: await appendChange(tx, topicId, change), change }
}

/** Whoever may no longer see the topic also no longer follows it. */
async function dropHiddenFollows(tx: Queryable, topicId: number): Promise<void> {
  const { rows } = await tx.query<{ user_id: string }>(
    `select f.user_id from follows f where f.topic_id = $1 and not ${mayView('f.topic_id', 'f.user_id')} order by f.user_id`,
    [topicId],
  )
  for (const { user_id } of rows) {
    await dropFollow(tx, user_id, topicId)
    await raiseFollows(tx, user_id)
  }
}

/** What was read belongs to the follow: whoever follows again starts like a new follower. */
async function dropFollow(tx: Queryable, viewer: string, topicId: number): Promise<number | null> {
  const { rows } = await tx.query<{ id: string }>(
    'delete from follows where user_id = $1 and topic_id = $2 returning id',
    [viewer, topicId],
  )
  return rows[0] ? Number(rows[0].id) : null
}

async function followsVersion(tx: Queryable, viewer: string): Promise<number> {
  const { rows } = await tx.query<{ version: number }>('select follows_version as version from users where id = $1', [
    viewer,
  ])
  return rows[0]?.version ?? 0
}

async function raiseFollows(tx: Queryable, viewer: string): Promise<number> {
  const { rows } = await tx.query<{ version: number }>(
    'update users set follows_version = follows_version + 1 where id = $1 returning follows_version as version',
    [viewer],
  )
  return rows[0]?.version ?? 0
}
