ALTER TABLE "activities" ALTER COLUMN "words" DROP EXPRESSION;--> statement-breakpoint
ALTER TABLE "activities" ALTER COLUMN "words" SET NOT NULL;--> statement-breakpoint
DROP FUNCTION publish_batch(jsonb, text[], boolean);--> statement-breakpoint
DROP FUNCTION publish_right(int, text, text);--> statement-breakpoint
-- Whether an actor may publish: allowed, hidden (no such topic for them) or denied (visible, but only owners publish).
-- A tool (actor null) comes with a grant of its own that its caller has checked. Most topics are open to all, which the
-- topic's own row says. A table function, because Postgres inlines those: called as a scalar it would cost more than
-- storing the row.
create function publish_right(topic int, visibility text, posting text, actor text)
returns table (granted text) language sql stable as $$
  select case
    when topic is null then 'hidden'
    when visibility = 'public' and posting = 'everyone' then 'allowed'
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
-- batch: array of { ord, topic (name), actor_id | actor_tool, on_behalf_of, verb, object, target, summary, metadata, group_key,
--        mentions (handles), occurred_at, source, words, idem_scope, idem_key, body_hash }, ord = 1, 2, 3 …
--        What a row does not have may be left out.
--        on_behalf_of: the person whose right a tool borrows; without one, the tool's caller has checked its grant.
--        words: what search finds it by, with spaces between. A process of the release before does not send them.
-- topic_names: the distinct topics of the batch. has_keys: whether any row has an idempotency key.
--
-- Each statement of a volatile function sees what was committed before it, so everything after the lock is decided on
-- a state that no other publish or membership change of these topics can alter until we commit. What most batches do not
-- need is a statement of its own: setting up a plan for it would cost them as much as several rows.
--
-- outcome: fresh | replay (same key, same body: id is the first one's) | reused (same key, other body) |
--          hidden | denied (publish_right)
create function publish_batch(batch jsonb, topic_names text[], has_keys boolean)
returns table (ord int, outcome text, topic_id int, visibility text, id bigint, seq bigint, no bigint,
               published_at timestamptz, mentions text[])
language plpgsql volatile as $$
#variable_conflict use_column
declare
  now_at timestamptz;
  -- By the place in topic_names; null where there is no such topic.
  topics_id int[]; topics_visibility text[]; topics_seq bigint[]; topics_no bigint[]; all_open boolean;
  -- By ord. No outcomes: all are fresh.
  ids bigint[]; outcomes text[]; firsts bigint[];
  -- By ord, with spaces between: of the handles those who may see the topic.
  mentioned text[];
begin
  -- Sorted, so that two batches over the same topics wait instead of deadlocking.
  perform 1 from topics t join topic_heads h on h.topic_id = t.id
  where t.name = any(topic_names) order by h.topic_id for update of h;

  now_at := clock_timestamp();
  ids := array(select nextval('activities_id_seq') from generate_series(1, jsonb_array_length(batch)));
  select array_agg(t.id order by n.place), array_agg(t.visibility order by n.place), array_agg(h.seq order by n.place),
    array_agg(h.no order by n.place), bool_and(t.visibility is not distinct from 'public' and t.posting = 'everyone')
  into topics_id, topics_visibility, topics_seq, topics_no, all_open
  from unnest(topic_names) with ordinality as n(name, place)
  left join topics t on t.name = n.name left join topic_heads h on h.topic_id = t.id;

  if has_keys then
    insert into idempotency_keys (scope, key, body_hash, activity_id, created_at)
    select distinct on (r.idem_scope, r.idem_key) r.idem_scope, r.idem_key, r.body_hash, ids[r.ord], now_at
    from jsonb_to_recordset(batch) as r(ord int, topic text, actor_id text, on_behalf_of text, idem_scope text, idem_key text, body_hash text)
    join topics t on t.name = r.topic
    cross join lateral publish_right(t.id, t.visibility, t.posting, coalesce(r.actor_id, r.on_behalf_of)) g
    where r.idem_key is not null and g.granted = 'allowed'
    order by r.idem_scope, r.idem_key, r.ord
    on conflict do nothing;
  end if;

  if has_keys or not all_open then
    select array_agg(case
        when g.granted <> 'allowed' then g.granted
        when k.activity_id is null or k.activity_id = ids[r.ord] then 'fresh'
        when k.body_hash = r.body_hash then 'replay'
        else 'reused'
      end order by r.ord), array_agg(k.activity_id order by r.ord)
    into outcomes, firsts
    from jsonb_to_recordset(batch) as r(ord int, topic text, actor_id text, on_behalf_of text, idem_scope text, idem_key text, body_hash text)
    left join topics t on t.name = r.topic
    cross join lateral publish_right(t.id, t.visibility, t.posting, coalesce(r.actor_id, r.on_behalf_of)) g
    -- One probe a row, and none without keys, however many keys there are by now.
    left join lateral (
      select i.activity_id, i.body_hash from idempotency_keys i
      where has_keys and i.scope = r.idem_scope and i.key = r.idem_key limit 1) k on true;
  end if;

  if batch @? '$[*].mentions[0]' then
    select array_agg(array_to_string(array(
        select u.handle from users u
        where u.handle = any(r.mentions)
          and exists (select 1 from topic_access a where a.topic_id = t.id and (a.user_id is null or a.user_id = u.id))
        order by array_position(r.mentions, u.handle)), ' ') order by r.ord)
    into mentioned
    from jsonb_to_recordset(batch) as r(ord int, topic text, mentions text[]) left join topics t on t.name = r.topic;
  end if;

  return query
  with fresh as materialized (
    select r.*, ids[r.ord] as id, topics_id[r.topic_at] as topic_id,
      topics_seq[r.topic_at] + row_number() over place as seq, topics_no[r.topic_at] + row_number() over place as no,
      coalesce(string_to_array(mentioned[r.ord], ' '), '{}') as seen_mentions
    from (
      select b.*, array_position(topic_names, b.topic) as topic_at
      from jsonb_to_recordset(batch) as b(
        ord int, topic text, actor_id text, actor_tool text, verb text, object jsonb, target jsonb, summary text,
        metadata jsonb, group_key text, occurred_at timestamptz, source text, words text)
      where outcomes is null or outcomes[b.ord] = 'fresh') r
    window place as (partition by r.topic_at order by r.ord)
  ),
  stored as (
    insert into activities (id, topic_id, seq, no, actor_id, actor_tool, verb, object, target, summary, metadata,
                            group_key, mentions, published_at, occurred_at, source, words)
    overriding system value
    select f.id, f.topic_id, f.seq, f.no, f.actor_id, f.actor_tool, f.verb, f.object, f.target, f.summary, f.metadata,
           f.group_key, f.seen_mentions, now_at, f.occurred_at, f.source,
           coalesce(array_to_tsvector(string_to_array(f.words, ' ')), to_tsvector('simple', f.verb || ' ' || f.summary))
    from fresh f
  ),
  logged as (
    insert into events (topic_id, seq, activity_id, created_at) select f.topic_id, f.seq, f.id, now_at from fresh f
  ),
  moved as (
    update topic_heads h set seq = n.seq, no = n.no, latest_at = now_at
    from (select f.topic_id, max(f.seq) as seq, max(f.no) as no from fresh f group by f.topic_id) n
    where h.topic_id = n.topic_id
  )
  select f.ord, 'fresh', f.topic_id, topics_visibility[f.topic_at], f.id, f.seq, f.no, now_at, f.seen_mentions from fresh f;

  if mentioned is not null then
    insert into activity_mentions (user_id, activity_id, topic_id, no)
    select u.id, a.id, a.topic_id, a.no
    from activities a cross join lateral unnest(a.mentions) as m(handle) join users u on u.handle = m.handle
    where a.id = any(ids) and u.id is distinct from a.actor_id;
  end if;

  if outcomes is not null then
    return query
    select o.ord::int, o.outcome, null::int, null::text, case when o.outcome = 'replay' then firsts[o.ord] end, null::bigint,
      null::bigint, null::timestamptz, null::text[]
    from unnest(outcomes) with ordinality as o(outcome, ord) where o.outcome <> 'fresh';
  end if;
end $$;
