// Removing activities with everything that refers to them, in one statement: by retention, or because somebody deleted one.

/** `old`: a query for `id` and `mentions` of those that go. Ends in a part named `gone`; mentions are found by whom they name. */
export const removalParts = (old: string) => `old as materialized (${old}),
  unmentioned as (
    delete from activity_mentions m using (
      select u.id as user_id, old.id as activity_id from old
      cross join lateral unnest(old.mentions) as named(handle) join users u on u.handle = named.handle) n
    where m.user_id = n.user_id and m.activity_id = n.activity_id),
  unspoken as (delete from conversations k using old where k.activity_id = old.id),
  unliked as (delete from reactions r using old where r.activity_id = old.id),
  -- By the threads, which have an index; answers are found by what they answer.
  threads as materialized (
    select c.id from old join comments c on c.activity_id = old.id and c.parent_id is null),
  said as materialized (
    select id from threads union all
    select r.id from threads join comments r on r.parent_id = threads.id),
  unsaid as (delete from comments c using said where c.id = said.id),
  unnoticed as (delete from notices n using said where n.comment_id = said.id returning n.user_id),
  gone as (delete from activities a using old where a.id = old.id returning a.*)`
