-- housekeep: trims the results stream, and notes how many results there have been. It needs none of common.lua.
--
-- KEYS[1]  results stream
-- KEYS[2]  turn: exists for a while after somebody did this, so that of several intakes one does it
-- KEYS[3]  trims, a hash: `trimmed`, results removed so far; `cut`, those of them that the cap removed;
--          `cut:<group>`, those of them that this group had not acknowledged
-- KEYS[4]  published: list of `<time in ms> <results published so far>`, newest first
-- KEYS[5]  alive: sorted set of the names of intakes and workers by the time, in milliseconds, of their last sign of life
-- ARGV[1]  milliseconds that a turn lasts; 0: the caller goes on with the turn that it has
-- ARGV[2]  results to keep at most; 0: any number
-- ARGV[3]  milliseconds that a result stays after it was published though every group has acknowledged it
-- ARGV[4]  results that the cap removes in one call at most, so that the server is not held up
-- ARGV[5]  entries of published to keep
-- ARGV[6]  milliseconds after which a name in alive is forgotten
--
-- Returns false when it is somebody else's turn.
-- Else {results removed, those of them that the cap removed, 1 if the cap has to remove more, group, number, ...} with
-- the number of removed results that each group had not acknowledged, where there were any.
if ARGV[1] ~= '0' and redis.call('PTTL', KEYS[2]) > 0 then
  return false
end
local time = redis.call('TIME')
local now_ms = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local cap, batch = tonumber(ARGV[2]), tonumber(ARGV[4])

-- An entry id as two numbers. They are exact below 2^53: results have ids that the server made from its clock.
local function parts(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return tonumber(ms), tonumber(seq)
end

local function before(a, b)
  local a_ms, a_seq = parts(a)
  local b_ms, b_seq = parts(b)
  return a_ms < b_ms or (a_ms == b_ms and a_seq < b_seq)
end

local function following(id)
  local ms, seq = parts(id)
  return string.format('%.0f-%.0f', ms, seq + 1)
end

local groups = {}
if redis.call('EXISTS', KEYS[1]) == 1 then
  for _, info in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
    local group = {}
    for i = 1, #info, 2 do
      group[info[i]] = info[i + 1]
    end
    groups[#groups + 1] = group
  end
end

-- What every group has acknowledged goes: all before the first entry that one of them has yet to read or acknowledge.
local removed = 0
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if first and #groups > 0 then
  local keep = string.format('%.0f-0', now_ms - tonumber(ARGV[3]))
  for _, group in ipairs(groups) do
    -- from the first entry on: what the cap removed may be pending for ever
    local pending = redis.call('XPENDING', KEYS[1], group.name, first[1], '+', 1)[1]
    local wanted = pending and pending[1] or following(group['last-delivered-id'])
    if before(wanted, keep) then
      keep = wanted
    end
  end
  removed = redis.call('XTRIM', KEYS[1], 'MINID', '=', keep)
end

-- Then the cap. Without a group nobody has said that he reads, so there is nothing to count for anybody.
local cut, more, unread = 0, 0, {}
local excess = cap > 0 and redis.call('XLEN', KEYS[1]) - cap or 0
if excess > 0 and #groups == 0 then
  cut = redis.call('XTRIM', KEYS[1], 'MAXLEN', '=', cap)
elseif excess > 0 then
  local entries = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', math.min(excess, batch))
  local last = entries[#entries][1]
  for _, group in ipairs(groups) do
    local number = #redis.call('XPENDING', KEYS[1], group.name, entries[1][1], last, #entries)
    for _, entry in ipairs(entries) do
      if before(group['last-delivered-id'], entry[1]) then
        number = number + 1
      end
    end
    if number > 0 then
      redis.call('HINCRBY', KEYS[3], 'cut:' .. group.name, number)
      unread[#unread + 1] = group.name
      unread[#unread + 1] = number
    end
  end
  cut = redis.call('XTRIM', KEYS[1], 'MINID', '=', following(last))
  more = excess > cut and 1 or 0
end
removed = removed + cut

local trimmed = redis.call('HINCRBY', KEYS[3], 'trimmed', removed)
if cut > 0 then
  redis.call('HINCRBY', KEYS[3], 'cut', cut)
end
if ARGV[1] ~= '0' then
  -- Not before the trimming: a server that is out of memory refuses it, unless the script has written before.
  redis.call('SET', KEYS[2], '1', 'PX', ARGV[1])
  redis.call('LPUSH', KEYS[4], string.format('%.0f %.0f', now_ms, redis.call('XLEN', KEYS[1]) + trimmed))
  redis.call('LTRIM', KEYS[4], 0, tonumber(ARGV[5]) - 1)
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', string.format('%.0f', now_ms - tonumber(ARGV[6])))
end
return {removed, cut, more, unpack(unread)}
