DROP INDEX "events_activity";--> statement-breakpoint
DROP INDEX "events_log";--> statement-breakpoint
CREATE INDEX "activities_own" ON "activities" USING btree ("actor_id","topic_id","no") WHERE actor_id is not null;--> statement-breakpoint
CREATE INDEX "events_log" ON "events" USING btree ("topic_id","log_ms","log_n") WHERE log_ms is not null;--> statement-breakpoint
DROP FUNCTION publish_batch(jsonb, int[], boolean);--> statement-breakpoint
DROP FUNCTION publish_right(int, text, text);--> statement-breakpoint
-- Whether an actor may publish: allowed, hidden (no such topic for them) or denied (visible, but only owners publish).
-- A tool (actor null) comes with a grant of its own that its caller has checked. A table function, because Postgres
-- inlines those: called as a scalar it would cost more than storing the row.
create function publish_right(topic int, posting text, actor text) returns table (granted text) language sql stable as $$
  select case
    when topic is null then 'hidden'
    when actor is null then 'allowed'
    when not exists (select 1 from topic_access a where a.topic_id = topic and (a.user_id is null or a.user_id = actor)) then 'hidden'
    when posting = 'everyone' then 'allowed'
    when exists (select 1 from topic_members m where m.topic_id = topic and m.user_id = actor and m.role = 'owner') then 'allowed'
    else 'denied'
  end
$$;
--> statement-breakpoint
-- publish_batch: many publishes in one transaction and one round trip (docs/decisions/0003).
--
-- batch: array of { ord, topic (name), actor_id | actor_tool, verb, object, target, summary, metadata, group_key,
--        mentions (handles), occurred_at, source, idem_scope, idem_key, body_hash }, ord = 1, 2, 3 …
-- topic_names: the distinct topics of the batch. has_keys: whether any row has an idempotency key.
--
-- Each statement of a volatile function sees what was committed before it, so everything after the lock is decided on
-- a state that no other publish or membership change of these topics can alter until we commit.
--
-- outcome: fresh | replay (same key, same body: id is the first one's) | reused (same key, other body) |
--          hidden | denied (publish_right)
create function publish_batch(batch jsonb, topic_names text[], has_keys boolean)
returns table (ord int, outcome text, topic_id int, visibility text, id bigint, seq bigint, no bigint,
               published_at timestamptz, mentions text[])
language plpgsql volatile as $$
#variable_conflict use_column
declare
  ids bigint[];
  now_at timestamptz;
begin
  -- Sorted, so that two batches over the same topics wait instead of deadlocking.
  perform 1 from topics t join topic_heads h on h.topic_id = t.id
  where t.name = any(topic_names) order by h.topic_id for update of h;

  now_at := clock_timestamp();
  select array_agg(nextval('activities_id_seq')) into ids from generate_series(1, jsonb_array_length(batch));

  if has_keys then
    insert into idempotency_keys (scope, key, body_hash, activity_id, created_at)
    select distinct on (r.idem_scope, r.idem_key) r.idem_scope, r.idem_key, r.body_hash, ids[r.ord], now_at
    from jsonb_to_recordset(batch) as r(ord int, topic text, actor_id text, idem_scope text, idem_key text, body_hash text)
    join topics t on t.name = r.topic
    cross join lateral publish_right(t.id, t.posting, r.actor_id) g
    where r.idem_key is not null and g.granted = 'allowed'
    order by r.idem_scope, r.idem_key, r.ord
    on conflict do nothing;
  end if;

  return query
  with judged as materialized (
    select r.*, ids[r.ord] as id, t.id as topic_id, t.visibility, k.activity_id as first_id,
      case
        when g.granted <> 'allowed' then g.granted
        when k.activity_id is null or k.activity_id = ids[r.ord] then 'fresh'
        when k.body_hash = r.body_hash then 'replay'
        else 'reused'
      end as outcome
    from jsonb_to_recordset(batch) as r(
      ord int, topic text, actor_id text, actor_tool text, verb text, object jsonb, target jsonb, summary text,
      metadata jsonb, group_key text, mentions text[], occurred_at timestamptz, source text,
      idem_scope text, idem_key text, body_hash text)
    left join topics t on t.name = r.topic
    cross join lateral publish_right(t.id, t.posting, r.actor_id) g
    -- One probe a row, and none without keys, however many keys there are by now.
    left join lateral (
      select i.activity_id, i.body_hash from idempotency_keys i
      where has_keys and i.scope = r.idem_scope and i.key = r.idem_key limit 1) k on true
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
    where f.seen_mentions <> '{}' and u.id is distinct from f.actor_id
  ),
  moved as (
    update topic_heads h set seq = n.seq, no = n.no, latest_at = now_at
    from (select f.topic_id, max(f.new_seq) as seq, max(f.new_no) as no from fresh f group by f.topic_id) n
    where h.topic_id = n.topic_id
  )
  select j.ord, j.outcome, j.topic_id, j.visibility,
    coalesce(f.id, case when j.outcome = 'replay' then j.first_id end), f.new_seq, f.new_no, now_at, f.seen_mentions
  from judged j left join fresh f on f.ord = j.ord;
end $$;
