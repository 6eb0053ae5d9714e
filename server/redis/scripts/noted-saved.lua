-- People whose read state is in Postgres now are no longer waiting for that, unless they changed it again.
--
-- KEYS 1 sorted set: people by the moment (ms) of their last change
-- ARGV per person: id, the moment of the change that was saved
for i = 1, #ARGV, 2 do
  local changed = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if changed and tonumber(changed) <= tonumber(ARGV[i + 1]) then redis.call('ZREM', KEYS[1], ARGV[i]) end
end
return 1
