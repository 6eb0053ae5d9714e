-- One person's read state: applies operations in order and, if asked, gives back the state before and after. The rules are
-- those of server/domain/read/person-reads.ts; the bytes those of server/domain/read/packed.ts.
--
-- KEYS 1 the person's state; segments are keys of their own beside it, KEYS[1]:<topic>:<segment>, with the same hash tag
-- ARGV 1 now in ms · 2 until when the state lives, ms · 3 operations as JSON · 4 '' or what to give back: 'a' the state
--      afterwards, 'ba' also the state before · 5 the current start of Redis as a number, or '' to not ask for it
-- Operation: {k, id, o?, v?, …}; o is its place in Postgres if it waited there, v the version that its author was told
--   m: r (1 read, 0 unread), g = {{topic, follow, start, floor, expires at, no …} …}, a group within one segment
--   a: until, t = {{topic, follow, start, floor, up to} …} · u: undo · f: t, f
--   r: run (compared with Postgres under this start of Redis) · x: throw the state away
-- Reply: false when there is no state or it was not compared under this start of Redis; else
--        {{version or 0 per operation …}, after, before}, each of the two
--        {state, topic, segment, bytes, topic, segment, bytes …}
local BITS, LAYERS, DONE_MAX, DONE_MS = 4096, 8, 64, 3600000
local key, now = KEYS[1], tonumber(ARGV[1])
local packed = redis.call('GET', key)
if not packed then return false end

local generation, version, last, run, count = struct.unpack('>dddI4I4', packed)
if ARGV[5] ~= '' and tonumber(ARGV[5]) ~= run then return false end
local topics, unread, layers = {}, {}, {}
local at = 33
for _ = 1, count do
  local topic, follow, watermark, top
  topic, follow, watermark, top, at = struct.unpack('>I4I4dI4', packed, at)
  topics[topic] = { f = follow, w = watermark, top = top }
end

local function set(list)
  local found = {}
  for _, no in ipairs(list) do found[no] = true end
  return found
end
if at <= #packed then
  local extras = cjson.decode(string.sub(packed, at))
  for topic, list in pairs(extras.u) do unread[tonumber(topic)] = set(list) end
  for i, layer in ipairs(extras.p) do
    layers[i] = { id = layer.id, till = layer['until'], t = {} }
    for topic, one in pairs(layer.t) do layers[i].t[tonumber(topic)] = { h = one.h, a = set(one.a) } end
  end
end

local function segment(topic, index) return key .. ':' .. topic .. ':' .. index end

local function dump(state)
  local out = { state }
  for topic, one in pairs(topics) do
    for index = math.floor((one.w + 1) / BITS), one.top - 1 do
      local bytes = redis.call('GET', segment(topic, index))
      if bytes then
        out[#out + 1] = topic
        out[#out + 1] = index
        out[#out + 1] = bytes
      end
    end
  end
  return out
end

local function read_up_to(topic)
  local up_to = topics[topic] and topics[topic].w or 0
  for _, layer in ipairs(layers) do
    if layer.t[topic] and layer.t[topic].h > up_to then up_to = layer.t[topic].h end
  end
  return up_to
end

-- Raises the watermark and drops the segments that lie below it.
local function raise(topic, watermark)
  local one = topics[topic]
  if watermark <= one.w then return end
  local first = math.floor((watermark + 1) / BITS)
  for index = math.floor((one.w + 1) / BITS), math.min(first, one.top) - 1 do redis.call('DEL', segment(topic, index)) end
  one.w = watermark
  if first >= one.top then one.top = 0 end
end

local function compact(topic)
  local one = topics[topic]
  while one.top > 0 do
    local no = one.w + 1
    local index, bit = math.floor(no / BITS), no % BITS
    if index >= one.top then return end
    local bits = redis.call('STRLEN', segment(topic, index)) * 8
    if bits <= bit then return end
    local clear = redis.call('BITPOS', segment(topic, index), 0, bit, -1, 'BIT')
    if clear == bit then return end
    raise(topic, index * BITS + (clear < 0 and bits or clear) - 1)
    if clear >= 0 or bits < BITS then return end
  end
end

local function forget(topic)
  local one = topics[topic]
  if not one then return end
  for index = math.floor((one.w + 1) / BITS), one.top - 1 do redis.call('DEL', segment(topic, index)) end
  topics[topic], unread[topic] = nil, nil
  for _, layer in ipairs(layers) do layer.t[topic] = nil end
end

local function drop_listed(topic, up_to)
  local listed = unread[topic]
  if listed then for no in pairs(listed) do if no <= up_to then listed[no] = nil end end end
end

local function enter(topic, follow, start, floor)
  if topics[topic] and follow > topics[topic].f and topics[topic].f > 0 then forget(topic) end
  local one = topics[topic]
  if not one then
    topics[topic] = { f = follow, w = start, top = 0 }
  elseif follow > one.f then
    one.f = follow
    raise(topic, start)
    drop_listed(topic, start)
  end
  raise(topic, floor)
  drop_listed(topic, floor)
  return topics[topic]
end

local function fold_first()
  local layer = table.remove(layers, 1)
  for topic, one in pairs(layer.t) do
    if topics[topic] then
      raise(topic, one.h)
      compact(topic)
    end
  end
end

local function mark(group, read)
  local topic, floor, expires = group[1], group[4], group[5]
  local one = enter(topic, group[2], group[3], floor)
  local index = math.floor(group[6] / BITS)
  local bits = segment(topic, index)
  local written = false
  for i = 6, #group do
    local no = group[i]
    if read then
      if unread[topic] then unread[topic][no] = nil end
      for _, layer in ipairs(layers) do if layer.t[topic] then layer.t[topic].a[no] = nil end end
      if no > one.w then
        -- Whatever lies above the highest segment that we know is not ours.
        if index >= one.top then
          for stale = math.max(one.top, math.floor((one.w + 1) / BITS)), index do redis.call('DEL', segment(topic, stale)) end
          one.top = index + 1
        end
        redis.call('SETBIT', bits, no % BITS, 1)
        written = true
      end
    elseif no > floor then
      if no > one.w and index < one.top and redis.call('GETBIT', bits, no % BITS) == 1 then
        redis.call('SETBIT', bits, no % BITS, 0)
      end
      if no <= read_up_to(topic) then
        unread[topic] = unread[topic] or {}
        unread[topic][no] = true
      end
    end
  end
  if written then
    redis.call('PEXPIREAT', bits, expires, 'NX')
    redis.call('PEXPIREAT', bits, expires, 'GT')
  end
  compact(topic)
end

local function take_off(id)
  for i, layer in ipairs(layers) do
    if layer.id == id then
      table.remove(layers, i)
      for topic, one in pairs(layer.t) do
        local listed = unread[topic] or {}
        for no in pairs(one.a) do
          local target = listed
          for later = i, #layers do
            local other = layers[later].t[topic]
            if other and no <= other.h then
              target = other.a
              break
            end
          end
          target[no] = true
        end
        local up_to = read_up_to(topic)
        for no in pairs(listed) do if no > up_to then listed[no] = nil end end
        unread[topic] = listed
      end
      return true
    end
  end
  return false
end

local done = key .. ':done'
local function apply(op)
  if op.k == 'r' then
    run = op.run
    return true
  end
  if op.o then
    if op.o <= last then return false end
    last = op.o
  end
  -- Its answer was lost, not the operation.
  if redis.call('ZSCORE', done, op.id) then return false end
  while layers[1] and layers[1].till <= now do fold_first() end
  if op.k == 'm' then
    for _, group in ipairs(op.g) do mark(group, op.r == 1) end
  elseif op.k == 'a' then
    for _, layer in ipairs(layers) do if layer.id == op.id then return false end end
    if #layers >= LAYERS then fold_first() end
    local layer = { id = op.id, till = op['until'], t = {} }
    for _, one in ipairs(op.t) do
      enter(one[1], one[2], one[3], one[4])
      local aside, listed = {}, unread[one[1]] or {}
      for no in pairs(listed) do
        if no <= one[5] then
          aside[no] = true
          listed[no] = nil
        end
      end
      layer.t[one[1]] = { h = one[5], a = aside }
      compact(one[1])
    end
    layers[#layers + 1] = layer
  elseif op.k == 'u' then
    if not take_off(op.undo) then return false end
  elseif op.k == 'f' then
    if topics[op.t] and topics[op.t].f <= op.f then forget(op.t) end
  end
  version = math.max(version + 1, op.v or 0)
  redis.call('ZADD', done, now, op.id)
  redis.call('ZREMRANGEBYRANK', done, 0, -DONE_MAX - 1)
  redis.call('PEXPIRE', done, DONE_MS)
  return true
end

local before = ARGV[4] == 'ba' and dump(packed) or nil
local operations = cjson.decode(ARGV[3])
local replies = {}
for i, op in ipairs(operations) do
  if op.k == 'x' then
    for topic in pairs(topics) do forget(topic) end
    redis.call('DEL', key, done)
    return false
  end
  replies[i] = apply(op) and version or 0
end

if #operations > 0 then
  local ids, parts = {}, {}
  for topic in pairs(topics) do ids[#ids + 1] = topic end
  table.sort(ids)
  for i, topic in ipairs(ids) do
    local one = topics[topic]
    parts[i] = struct.pack('>I4I4dI4', topic, one.f, one.w, one.top)
  end
  local function list(from)
    local found = {}
    for no in pairs(from) do found[#found + 1] = no end
    return found
  end
  local u, p = {}, {}
  for topic, listed in pairs(unread) do if next(listed) then u[tostring(topic)] = list(listed) end end
  for i, layer in ipairs(layers) do
    p[i] = { id = layer.id, ['until'] = layer.till, t = {} }
    for topic, one in pairs(layer.t) do p[i].t[tostring(topic)] = { h = one.h, a = list(one.a) } end
  end
  local extras = (next(u) or #p > 0) and cjson.encode({ u = u, p = p }) or ''
  packed = struct.pack('>dddI4I4', generation, version, last, run, #ids) .. table.concat(parts) .. extras
  redis.call('SET', key, packed)
end
redis.call('PEXPIREAT', key, ARGV[2])
if ARGV[4] == '' then return { replies } end
return { replies, dump(packed), before }
