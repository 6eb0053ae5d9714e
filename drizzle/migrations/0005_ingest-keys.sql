CREATE TABLE "api_key_topics" (
	"key_id" integer NOT NULL,
	"topic_id" integer NOT NULL,
	CONSTRAINT "api_key_topics_key_id_topic_id_pk" PRIMARY KEY("key_id","topic_id")
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "api_keys_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"owner_id" text NOT NULL,
	"name" text NOT NULL,
	"source" text NOT NULL,
	"prefix" text NOT NULL,
	"secret_hash" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "api_keys_prefix_unique" UNIQUE("prefix")
);
--> statement-breakpoint
ALTER TABLE "api_key_topics" ADD CONSTRAINT "api_key_topics_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_key_topics" ADD CONSTRAINT "api_key_topics_topic_id_topics_id_fk" FOREIGN KEY ("topic_id") REFERENCES "public"."topics"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_key_topics_topic" ON "api_key_topics" USING btree ("topic_id");--> statement-breakpoint
CREATE INDEX "api_keys_owner" ON "api_keys" USING btree ("owner_id");
--> statement-breakpoint
-- publish_batch: many publishes in one transaction and one round trip (docs/decisions/0003).
--
-- batch: array of { ord, topic (name), actor_id | actor_tool, on_behalf_of, verb, object, target, summary, metadata, group_key,
--        mentions (handles), occurred_at, source, idem_scope, idem_key, body_hash }, ord = 1, 2, 3 …
--        on_behalf_of: the person whose right a tool borrows; without one, the tool's caller has checked its grant.
-- topic_names: the distinct topics of the batch. has_keys: whether any row has an idempotency key.
--
-- Each statement of a volatile function sees what was committed before it, so everything after the lock is decided on
-- a state that no other publish or membership change of these topics can alter until we commit.
--
-- outcome: fresh | replay (same key, same body: id is the first one's) | reused (same key, other body) |
--          hidden | denied (publish_right)
create or replace function publish_batch(batch jsonb, topic_names text[], has_keys boolean)
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
    from jsonb_to_recordset(batch) as r(ord int, topic text, actor_id text, on_behalf_of text, idem_scope text, idem_key text, body_hash text)
    join topics t on t.name = r.topic
    cross join lateral publish_right(t.id, t.posting, coalesce(r.actor_id, r.on_behalf_of)) g
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
      ord int, topic text, actor_id text, actor_tool text, on_behalf_of text, verb text, object jsonb, target jsonb,
      summary text, metadata jsonb, group_key text, mentions text[], occurred_at timestamptz, source text,
      idem_scope text, idem_key text, body_hash text)
    left join topics t on t.name = r.topic
    cross join lateral publish_right(t.id, t.posting, coalesce(r.actor_id, r.on_behalf_of)) g
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
