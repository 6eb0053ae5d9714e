-- Put before every delivery script. KEYS and the first ARGV are the same in all of them:
--
-- KEYS 1 stream · 2 epoch · 3 dead letters · 4 their index · 5 floor · then per handler: schedule, work
-- ARGV 1 group · 2 the consumer that owns pending entries which are scheduled · 3 names of the handlers, as JSON
local STREAM, EPOCH, DLQ, INDEX, FLOOR = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local GROUP, HOLDER = ARGV[1], ARGV[2]
local NAMES = cjson.decode(ARGV[3])
local function schedule(h) return KEYS[4 + 2 * h] end
local function works(h) return KEYS[5 + 2 * h] end

local function now_ms()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function is_scheduled(place)
  for h = 1, #NAMES do
    if redis.call('ZSCORE', schedule(h), place) then return true end
  end
  return false
end

local function table_of(flat)
  local fields = {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return fields
end

local function entry_at(id)
  local found = redis.call('XRANGE', STREAM, id, id)
  return found[1] and table_of(found[1][2]) or nil
end

local function place_of(fields) return fields.t .. ':' .. fields.s end

local function split(id)
  local ms, n = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(n)
end

local function is_later(a, b)
  local a_ms, a_n = split(a)
  local b_ms, b_n = split(b)
  return a_ms > b_ms or (a_ms == b_ms and a_n > b_n)
end

-- The group's own facts; nil when there is no such group.
local function group_facts()
  if redis.call('EXISTS', STREAM) == 0 then return nil end
  for _, flat in ipairs(redis.call('XINFO', 'GROUPS', STREAM)) do
    local facts = table_of(flat)
    if facts.name == GROUP then return facts end
  end
  return nil
end

local function unbury(name, place)
  local old = redis.call('HGET', INDEX, name .. ':' .. place)
  if old then
    redis.call('XDEL', DLQ, old)
    redis.call('HDEL', INDEX, name .. ':' .. place)
  end
end

-- A second death of the same work replaces the first.
local function bury(name, place, id, class, w, data)
  local old = redis.call('HGET', INDEX, name .. ':' .. place)
  local dead = redis.call('XADD', DLQ, '*', 'handler', name, 'stream', STREAM, 'id', id or '', 'epoch', w.e or '',
    'topic', w.t, 'seq', w.s, 'kind', w.k, 'data', data, 'group', GROUP, 'class', class, 'error', w.error or '',
    'stack', w.stack or '', 'attempts', w.attempts or 0, 'first', w.firstAt or '', 'died', now_ms(),
    'replays', w.replays or 0, 'trace', w.trace or '')
  redis.call('HSET', INDEX, name .. ':' .. place, dead)
  if old then redis.call('XDEL', DLQ, old) end
end
