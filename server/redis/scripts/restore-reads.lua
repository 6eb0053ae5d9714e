-- Puts a person's read state from Postgres into Redis, unless one is there already.
--
-- KEYS 1 the person's state; segments and the ids of recent operations are keys beside it with the same hash tag
-- ARGV 1 until when the state lives, ms · 2 the state · then per segment: topic, index, expires at, bytes
-- Reply: 1 when it was put there, 0 when another was first.
if not redis.call('SET', KEYS[1], ARGV[2], 'NX', 'PXAT', ARGV[1]) then return 0 end
redis.call('DEL', KEYS[1] .. ':done')
for i = 3, #ARGV, 4 do
  redis.call('SET', KEYS[1] .. ':' .. ARGV[i] .. ':' .. ARGV[i + 1], ARGV[i + 3], 'PXAT', ARGV[i + 2])
end
return 1
