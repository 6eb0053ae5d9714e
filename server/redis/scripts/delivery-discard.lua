-- Removes dead letters.
--
-- ARGV 4 ids, as JSON
-- Reply: per id 'discarded' or 'gone'
local outcomes = {}
for i, id in ipairs(cjson.decode(ARGV[4])) do
  local found = redis.call('XRANGE', DLQ, id, id)
  if found[1] then
    local f = table_of(found[1][2])
    unbury(f.handler, f.topic .. ':' .. f.seq)
    redis.call('XDEL', DLQ, id)
    outcomes[i] = 'discarded'
  else
    outcomes[i] = 'gone'
  end
end
return outcomes
