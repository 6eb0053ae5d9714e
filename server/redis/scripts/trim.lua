-- Drops entries older than an id and records the floor in the same step, so that a reader can tell trimmed from quiet.
--
-- KEYS 1 stream · 2 floor
-- ARGV 1 the smallest id to keep
-- Reply: number of entries removed.
local removed = redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1])
if removed > 0 then redis.call('SET', KEYS[2], ARGV[1]) end
return removed
