-- Removes consumers that have been away for long and have nothing pending. Looking and removing is one step: with two,
-- what a consumer was given in between would be dropped with it.
--
-- ARGV 4 idle (ms)
-- Reply: how many went
if not group_facts() then return 0 end
local removed = 0
for _, flat in ipairs(redis.call('XINFO', 'CONSUMERS', STREAM, GROUP)) do
  local consumer = table_of(flat)
  if consumer.name ~= HOLDER and consumer.pending == 0 and consumer.idle >= tonumber(ARGV[4]) then
    redis.call('XGROUP', 'DELCONSUMER', STREAM, GROUP, consumer.name)
    removed = removed + 1
  end
end
return removed
