-- Takes due work of one handler: it is moved to the end of the lease, so that it comes again if we do not report.
--
-- ARGV 4 handler number · 5 how many · 6 lease (ms) · 7 token
-- Reply: array of { place, work as JSON, kind, data }
-- Work whose entry is gone with an older log is dropped: the log that replaced it brings the event again.
local h = tonumber(ARGV[4])
local now = now_ms()
local epoch = redis.call('GET', EPOCH)
local taken = {}
for _, place in ipairs(redis.call('ZRANGEBYSCORE', schedule(h), '-inf', now, 'LIMIT', 0, tonumber(ARGV[5]))) do
  local stored = redis.call('HGET', works(h), place)
  local w = stored and cjson.decode(stored)
  local kind, data
  if w and w.d then
    kind, data = w.k, w.d
  elseif w and w.e == epoch then
    local fields = entry_at(w.id)
    if fields and place_of(fields) == place then kind, data = fields.k, fields.d end
  end
  if data then
    w.token = ARGV[7]
    redis.call('HSET', works(h), place, cjson.encode(w))
    redis.call('ZADD', schedule(h), now + tonumber(ARGV[6]), place)
    taken[#taken + 1] = { place, cjson.encode(w), kind, data }
  else
    redis.call('ZREM', schedule(h), place)
    redis.call('HDEL', works(h), place)
  end
end
return taken
