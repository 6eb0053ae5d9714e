-- Starts the log over under a new epoch.
--
-- KEYS 1 stream · 2 heads · 3 epoch · 4 floor · then the schedules of work on the old one
-- ARGV 1 the new epoch name
for i = 1, #KEYS do redis.call('DEL', KEYS[i]) end
redis.call('SET', KEYS[3], ARGV[1])
return redis.status_reply('OK')
