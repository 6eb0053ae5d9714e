-- publish_batch: many publishes in one transaction and one round trip (docs/decisions/0003).
--
-- batch: array of { ord, topic_id, actor_id | actor_tool, verb, object, target, summary, metadata, group_key,
--        mentions (handles), occurred_at, source, idem_scope, idem_key, body_hash }, ord = 1, 2, 3 …
-- topic_ids: the distinct topics of the batch. has_keys: whether any row has an idempotency key.
--
-- Each statement of a volatile function sees what was committed before it, so everything after the lock is decided on
-- a state that no other publish or membership change of these topics can alter until we commit.
--
-- outcome: fresh | replay (same key, same body: id is the first one's) | reused (same key, other body) |
--          hidden (no such topic for this actor) | denied (visible, but only owners may publish)
create function publish_batch(batch jsonb, topic_ids int[], has_keys boolean)
returns table (ord int, outcome text, id bigint, seq bigint, no bigint, published_at timestamptz, mentions text[])
language plpgsql volatile as $$
#variable_conflict use_column
declare
  ids bigint[];
  now_at timestamptz;
begin
  -- Sorted, so that two batches over the same topics wait instead of deadlocking.
  perform 1 from topic_heads h where h.topic_id = any(topic_ids) order by h.topic_id for update;

  now_at := clock_timestamp();
  select array_agg(nextval('activities_id_seq')) into ids from generate_series(1, jsonb_array_length(batch));

  if has_keys then
    insert into idempotency_keys (scope, key, body_hash, activity_id, created_at)
    select distinct on (r.idem_scope, r.idem_key) r.idem_scope, r.idem_key, r.body_hash, ids[r.ord], now_at
    from jsonb_to_recordset(batch) as r(ord int, topic_id int, actor_id text, idem_scope text, idem_key text, body_hash text)
    join topics t on t.id = r.topic_id
    where r.idem_key is not null and publish_right(t.id, t.posting, r.actor_id) = 'allowed'
    order by r.idem_scope, r.idem_key, r.ord
    on conflict do nothing;
  end if;

  return query
  with input as materialized (
    select r.*, ids[r.ord] as id
    from jsonb_to_recordset(batch) as r(
      ord int, topic_id int, actor_id text, actor_tool text, verb text, object jsonb, target jsonb, summary text,
      metadata jsonb, group_key text, mentions text[], occurred_at timestamptz, source text,
      idem_scope text, idem_key text, body_hash text)
  ),
  rights as materialized (
    select p.topic_id, p.actor_id, publish_right(t.id, t.posting, p.actor_id) as granted
    from (select distinct i.topic_id, i.actor_id from input i) p
    join topics t on t.id = p.topic_id
  ),
  judged as materialized (
    select i.*, k.activity_id as first_id,
      case
        when coalesce(g.granted, 'hidden') <> 'allowed' then coalesce(g.granted, 'hidden')
        when k.activity_id is null or k.activity_id = i.id then 'fresh'
        when k.body_hash = i.body_hash then 'replay'
        else 'reused'
      end as outcome
    from input i
    left join rights g on g.topic_id = i.topic_id and g.actor_id is not distinct from i.actor_id
    left join idempotency_keys k on has_keys and k.scope = i.idem_scope and k.key = i.idem_key
  ),
  fresh as materialized (
    select j.*, h.seq + row_number() over place as new_seq, h.no + row_number() over place as new_no,
      case when j.mentions = '{}' then j.mentions else array(
        select u.handle from users u
        where u.handle = any(j.mentions)
          and exists (select 1 from topic_access a where a.topic_id = j.topic_id and (a.user_id is null or a.user_id = u.id))
        order by array_position(j.mentions, u.handle)
      ) end as seen_mentions
    from judged j join topic_heads h on h.topic_id = j.topic_id
    where j.outcome = 'fresh'
    window place as (partition by j.topic_id order by j.ord)
  ),
  stored as (
    insert into activities (id, topic_id, seq, no, actor_id, actor_tool, verb, object, target, summary, metadata,
                            group_key, mentions, published_at, occurred_at, source)
    overriding system value
    select f.id, f.topic_id, f.new_seq, f.new_no, f.actor_id, f.actor_tool, f.verb, f.object, f.target, f.summary,
           f.metadata, f.group_key, f.seen_mentions, now_at, f.occurred_at, f.source
    from fresh f
  ),
  logged as (
    insert into events (topic_id, seq, activity_id, created_at)
    select f.topic_id, f.new_seq, f.id, now_at from fresh f
  ),
  mentioned as (
    insert into activity_mentions (user_id, activity_id, topic_id, no)
    select u.id, f.id, f.topic_id, f.new_no
    from fresh f cross join lateral unnest(f.seen_mentions) as m(handle) join users u on u.handle = m.handle
    where u.id is distinct from f.actor_id
  ),
  own as (
    -- What somebody wrote themselves is read.
    insert into read_state as s (user_id, topic_id, read)
    select f.actor_id, f.topic_id, range_agg(int8range(f.new_no, f.new_no, '[]'))
    from fresh f join follows w on w.user_id = f.actor_id and w.topic_id = f.topic_id
    group by f.actor_id, f.topic_id order by f.actor_id, f.topic_id
    on conflict (user_id, topic_id) do update set read = s.read + excluded.read
  ),
  moved as (
    update topic_heads h set seq = n.seq, no = n.no, latest_at = now_at
    from (select f.topic_id, max(f.new_seq) as seq, max(f.new_no) as no from fresh f group by f.topic_id) n
    where h.topic_id = n.topic_id
  )
  select j.ord, j.outcome, coalesce(f.id, case when j.outcome = 'replay' then j.first_id end), f.new_seq, f.new_no, now_at, f.seen_mentions
  from judged j left join fresh f on f.ord = j.ord;
end $$;
--> statement-breakpoint
-- A tool (actor null) comes with a grant of its own that its caller has checked.
create function publish_right(topic int, posting text, actor text) returns text language sql stable as $$
  select case
    when actor is null then 'allowed'
    when not exists (select 1 from topic_access a where a.topic_id = topic and (a.user_id is null or a.user_id = actor)) then 'hidden'
    when posting = 'everyone' then 'allowed'
    when exists (select 1 from topic_members m where m.topic_id = topic and m.user_id = actor and m.role = 'owner') then 'allowed'
    else 'denied'
  end
$$;
