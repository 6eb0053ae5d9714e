-- Gives dead letters another life: the handler that failed gets the stored payload again, and nobody else does.
--
-- ARGV 4 replays that one piece of work may have · 5 ids, as JSON
-- Reply: per id 'replayed', 'gone' (somebody was faster) or 'guarded'
local now = now_ms()
local outcomes = {}
for i, id in ipairs(cjson.decode(ARGV[5])) do
  local found = redis.call('XRANGE', DLQ, id, id)
  local f = found[1] and table_of(found[1][2])
  local h
  for number, name in ipairs(NAMES) do
    if f and name == f.handler then h = number end
  end
  if not f then
    outcomes[i] = 'gone'
  elseif not h or tonumber(f.replays) >= tonumber(ARGV[4]) then
    outcomes[i] = 'guarded'
  else
    local place = f.topic .. ':' .. f.seq
    local w = { e = f.epoch, t = f.topic, s = f.seq, k = f.kind, d = f.data, attempts = 0,
      replays = tonumber(f.replays) + 1, error = f.error, trace = f.trace }
    redis.call('HSET', works(h), place, cjson.encode(w))
    redis.call('ZADD', schedule(h), now, place)
    unbury(f.handler, place)
    redis.call('XDEL', DLQ, id)
    outcomes[i] = 'replayed'
  end
end
return outcomes
