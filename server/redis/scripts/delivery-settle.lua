-- Takes down what became of pieces of work, and acknowledges entries for which nothing is left to do.
--
-- ARGV 4 dead letters there may be · 5 wait (ms) when they are full · 6 JSON array of
--      { p place, id, h handler number, act done | schedule | dead, token?, wait?, class?, d data?, w work }
--      An entry's failures of its first try come in one call.
-- Reply: how many could not be moved because the dead letters are full; those stay scheduled.
local cap, full_wait = tonumber(ARGV[4]), tonumber(ARGV[5])
local now = now_ms()
local refused = 0
local touched = {}
for _, op in ipairs(cjson.decode(ARGV[6])) do
  local name = NAMES[op.h]
  local mine = true
  if op.token then
    -- Whoever overslept its lease may report success, but decides nothing any more.
    local current = redis.call('HGET', works(op.h), op.p)
    mine = current and cjson.decode(current).token == op.token
  end
  if op.act == 'done' then
    redis.call('ZREM', schedule(op.h), op.p)
    redis.call('HDEL', works(op.h), op.p)
    unbury(name, op.p)
  elseif mine then
    local wait = op.wait
    local full = redis.call('XLEN', DLQ) >= cap and redis.call('HEXISTS', INDEX, name .. ':' .. op.p) == 0
    if op.act == 'dead' and not full then
      bury(name, op.p, op.id, op.class, op.w, op.d)
      redis.call('ZREM', schedule(op.h), op.p)
      redis.call('HDEL', works(op.h), op.p)
    else
      if op.act == 'dead' then
        refused = refused + 1
        wait = full_wait
      end
      redis.call('HSET', works(op.h), op.p, cjson.encode(op.w))
      redis.call('ZADD', schedule(op.h), now + wait, op.p)
    end
  end
  if op.id then touched[op.p] = op.id end
end
for place, id in pairs(touched) do
  if not is_scheduled(place) then redis.call('XACK', STREAM, GROUP, id) end
end
return refused
