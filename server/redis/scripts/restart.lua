-- Starts the log over under a new epoch.
--
-- KEYS 1 stream · 2 heads · 3 epoch · 4 floor
-- ARGV 1 the new epoch name
redis.call('DEL', KEYS[1], KEYS[2], KEYS[4])
redis.call('SET', KEYS[3], ARGV[1])
return redis.status_reply('OK')
