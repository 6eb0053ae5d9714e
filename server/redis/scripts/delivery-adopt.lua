-- Finds pending entries that nobody has touched for a while. What is not scheduled is scheduled now, for the given
-- handlers; all of them change to the holder, which also starts their idle time over, so that each sweep gets further.
--
-- ARGV 4 idle (ms) · 5 how many to look at · 6 handler numbers, as JSON
-- Reply: { looked at, adopted, lost (no longer in the stream) }
local handlers = cjson.decode(ARGV[6])
local now = now_ms()
local looked, adopted, lost = 0, 0, 0
if not group_facts() then return { 0, 0, 0 } end
for _, pending in ipairs(redis.call('XPENDING', STREAM, GROUP, 'IDLE', ARGV[4], '-', '+', ARGV[5])) do
  local id = pending[1]
  local fields = entry_at(id)
  looked = looked + 1
  if not fields then
    lost = lost + 1
    redis.call('XACK', STREAM, GROUP, id)
  elseif fields.k == 'beat' then
    redis.call('XACK', STREAM, GROUP, id)
  else
    local place = place_of(fields)
    if not is_scheduled(place) then
      adopted = adopted + 1
      for _, h in ipairs(handlers) do
        local w = { id = id, e = fields.e, t = fields.t, s = fields.s, k = fields.k, attempts = 0, replays = 0, adopted = true }
        redis.call('HSET', works(h), place, cjson.encode(w))
        redis.call('ZADD', schedule(h), now, place)
      end
    end
    redis.call('XCLAIM', STREAM, GROUP, HOLDER, 0, id, 'JUSTID')
  end
end
return { looked, adopted, lost }
