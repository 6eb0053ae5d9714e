-- Appends a beat when it is time for one, whichever process asks first.
--
-- KEYS 1 stream · 2 epoch · 3 turn
-- ARGV 1 a fresh epoch name, used only if the log has none · 2 how long the turn lasts, in ms
-- Reply: the stream id, or false when somebody else has just done it.
if not redis.call('SET', KEYS[3], '1', 'NX', 'PX', ARGV[2]) then return false end
redis.call('SET', KEYS[2], ARGV[1], 'NX')
return redis.call('XADD', KEYS[1], '*', 'e', redis.call('GET', KEYS[2]), 't', '0', 's', '0', 'k', 'beat', 'd', '')
