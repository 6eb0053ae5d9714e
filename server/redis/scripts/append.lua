-- Ordered, idempotent append of topic events to the log.
--
-- KEYS 1 stream · 2 heads (hash topic → seq) · 3 epoch
-- ARGV 1 a fresh epoch name, used only if the log has none
--      then per event: topic, seq, base ('' or the seq before the oldest event that still exists), kind, data,
--      again ('1' when the log may have had it before: whoever works on it looks up what is finished)
-- Reply: array with one element per event: the stream id (appended), 0 (known already), or
--        {'gap', head} where head is '' when the log knows nothing of the topic.
if redis.call('EXISTS', KEYS[3]) == 0 then
  -- A log without an epoch is a lost log: whatever heads survived would hide events that are gone.
  redis.call('DEL', KEYS[1], KEYS[2])
  redis.call('SET', KEYS[3], ARGV[1])
end
local epoch = redis.call('GET', KEYS[3])
local replies = {}
local heads = {}
for i = 2, #ARGV, 6 do
  local topic, seq, base = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
  local head = heads[topic]
  if head == nil then
    head = redis.call('HGET', KEYS[2], topic)
    if head then head = tonumber(head)
    elseif base ~= '' then head = tonumber(base)
    elseif seq == 1 then head = 0 end
  end
  if not head then
    replies[#replies + 1] = { 'gap', '' }
  elseif seq <= head then
    replies[#replies + 1] = 0
  elseif seq > head + 1 then
    replies[#replies + 1] = { 'gap', tostring(head) }
  else
    local entry = { 'e', epoch, 't', topic, 's', ARGV[i + 1], 'k', ARGV[i + 3], 'd', ARGV[i + 4] }
    if ARGV[i + 5] == '1' then
      entry[11], entry[12] = 'r', '1'
    end
    replies[#replies + 1] = redis.call('XADD', KEYS[1], '*', unpack(entry))
    heads[topic] = seq
    head = seq
  end
end
local moved = {}
for topic, seq in pairs(heads) do
  moved[#moved + 1] = topic
  moved[#moved + 1] = seq
end
if #moved > 0 then redis.call('HSET', KEYS[2], unpack(moved)) end
return replies
