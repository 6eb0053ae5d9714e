-- Schedules what Postgres says is unfinished and nothing here knows of: not scheduled, not dead, not pending, not unread.
--
-- ARGV 4 JSON array of { h handler number, p place, at? stream id last known, w work with its data }
-- Reply: how many were scheduled
local facts = group_facts()
if not facts then return 0 end
local read_to = facts['last-delivered-id']
local quiet = facts.pending == 0 and not is_later(redis.call('XINFO', 'STREAM', STREAM)[8], read_to)
local now = now_ms()
local owed = 0
for _, one in ipairs(cjson.decode(ARGV[4])) do
  local known = redis.call('HEXISTS', INDEX, NAMES[one.h] .. ':' .. one.p) == 1
    or redis.call('ZSCORE', schedule(one.h), one.p)
  if not known then
    if one.at then
      known = is_later(one.at, read_to) or #redis.call('XPENDING', STREAM, GROUP, one.at, one.at, 1) > 0
    else
      known = not quiet
    end
  end
  if not known then
    redis.call('HSET', works(one.h), one.p, cjson.encode(one.w))
    redis.call('ZADD', schedule(one.h), now, one.p)
    owed = owed + 1
  end
end
return owed
