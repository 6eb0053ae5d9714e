-- Drops entries that are old and that every group has finished, and records the floor in the same step, so that a reader
-- can tell trimmed from quiet. Past the hard cap the oldest go in any case; what is unfinished of them dies first.
--
-- ARGV 4 smallest id to keep · 5 entries there may be · 6 handler numbers, as JSON · 7 dead letters there may be ·
--      8 how many may die in one call
-- Reply: { removed, died, 1 when there is more to remove by the cap }
local keep = ARGV[4]
if redis.call('EXISTS', STREAM) == 0 then return { 0, 0, 0 } end
for _, flat in ipairs(redis.call('XINFO', 'GROUPS', STREAM)) do
  local facts = table_of(flat)
  if is_later(keep, facts['last-delivered-id']) then keep = facts['last-delivered-id'] end
  local oldest = redis.call('XPENDING', STREAM, facts.name)[2]
  if oldest and is_later(keep, oldest) then keep = oldest end
end
local removed = redis.call('XTRIM', STREAM, 'MINID', keep)
if removed > 0 then redis.call('SET', FLOOR, keep) end

local excess = redis.call('XLEN', STREAM) - tonumber(ARGV[5])
if excess <= 0 then return { removed, 0, 0 } end
local handlers = cjson.decode(ARGV[6])
local facts = group_facts()
local died, last = 0, nil
for _, entry in ipairs(redis.call('XRANGE', STREAM, '-', '+', 'COUNT', math.min(excess, tonumber(ARGV[8])))) do
  local id, fields = entry[1], table_of(entry[2])
  local place = place_of(fields)
  local unread = facts and is_later(id, facts['last-delivered-id'])
  local pending = facts and not unread and #redis.call('XPENDING', STREAM, GROUP, id, id, 1) > 0
  if fields.k ~= 'beat' and (unread or pending) then
    if redis.call('XLEN', DLQ) + #handlers > tonumber(ARGV[7]) then break end
    local some = is_scheduled(place)
    for _, h in ipairs(handlers) do
      local stored = redis.call('HGET', works(h), place)
      if stored or not some then
        local w = stored and cjson.decode(stored) or { t = fields.t, s = fields.s, k = fields.k, e = fields.e }
        w.error = w.error or 'The log was full.'
        bury(NAMES[h], place, id, 'trimmed', w, fields.d)
        died = died + 1
      end
    end
    for h = 1, #NAMES do
      redis.call('ZREM', schedule(h), place)
      redis.call('HDEL', works(h), place)
    end
  end
  if pending then redis.call('XACK', STREAM, GROUP, id) end
  last = id
end
if not last then return { removed, died, 0 } end
local ms, n = split(last)
local after = string.format('%.0f-%.0f', ms, n + 1)
removed = removed + redis.call('XTRIM', STREAM, 'MINID', after)
redis.call('SET', FLOOR, after)
return { removed, died, redis.call('XLEN', STREAM) > tonumber(ARGV[5]) and 1 or 0 }
