-- begin: a worker takes an entry into work and counts one attempt.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- ARGV[1]  consumer group
-- ARGV[2]  entry id
-- ARGV[3]  this worker's consumer name
-- ARGV[4]  lease in milliseconds: for so long after its last claim or renewal an entry stays with a worker that holds it
-- ARGV[5]  the entry's field in attempts
--
-- Returns false when there is nothing to do: the entry is gone, or another worker's lease on it still runs.
-- Else {payload or false, v or false, attempt, milliseconds since the entry was added}.
local owner, idle_ms = holder(KEYS[1], ARGV[1], ARGV[2])
if not owner then
  return false
end
local leased = string.sub(owner, 1, 7) == 'worker:' and owner ~= ARGV[3] and idle_ms < tonumber(ARGV[4])
if leased then
  return false
end
local entry = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
if not entry then
  -- Somebody deleted it from the stream by hand; the group must not keep it for ever.
  finish(KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[5])
  return false
end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[2], 'JUSTID')
local attempt = redis.call('HINCRBY', KEYS[2], ARGV[5], 1)
local now = redis.call('TIME')
local now_ms = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
local added_ms = tonumber(string.match(ARGV[2], '^%d+'))
-- A producer may choose its own ids, and clocks may step back.
return {field(entry, 'payload'), field(entry, 'v'), attempt, math.max(0, now_ms - added_ms)}
