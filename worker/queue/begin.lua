-- begin: a worker takes an entry into work and counts one attempt.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- KEYS[3]  errors: hash of the same to one line for each attempt that failed
-- ARGV[1]  consumer group
-- ARGV[2]  entry id
-- ARGV[3]  this worker's process, as it stands in its consumer names
-- ARGV[4]  lease in milliseconds: for so long after its last claim or renewal an entry stays with a worker that has it
-- ARGV[5]  the entry's field in attempts and errors
-- ARGV[6]  attempts that an entry gets
-- ARGV[7]  the time, for the history of errors
--
-- Returns false when there is nothing to do: the entry is gone, is backed off, or another worker's lease on it still runs.
-- Else {payload or false, v or false, attempt, milliseconds since the entry was added, 1 when its attempts were used up
-- before and none was counted or else 0}.
local owner, idle_ms = holder(KEYS[1], ARGV[1], ARGV[2])
if not owner then
  return false
end
local worker = 'worker:' .. ARGV[3]
local role_now = role(owner)
local leased = (role_now == 'worker' or role_now == 'held') and idle_ms < tonumber(ARGV[4])
if role_now == 'retry' or (leased and owner ~= worker and owner ~= 'held:' .. ARGV[3]) then
  return false
end
local entry = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
if not entry then
  -- Somebody deleted it from the stream by hand; the group must not keep it for ever.
  finish(KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2], ARGV[5])
  return false
end
local attempt = count_of(KEYS[2], ARGV[5])
local used_up = 0
-- A worker that has the entry in work already did not get the reply to its first begin: that is no second attempt.
if owner ~= worker then
  if role_now == 'worker' then
    note_silence(KEYS[2], KEYS[3], ARGV[5], owner, ARGV[7])
  end
  if attempt >= tonumber(ARGV[6]) then
    used_up = 1
  else
    attempt = attempt + 1
    redis.call('HSET', KEYS[2], ARGV[5], attempt)
  end
end
redis.call('XCLAIM', KEYS[1], ARGV[1], worker, 0, ARGV[2], 'JUSTID')
local now = redis.call('TIME')
local now_ms = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
local added_ms = tonumber(string.match(ARGV[2], '^%d+'))
-- A producer may choose its own ids, and clocks may step back.
return {field_of(entry, 'payload'), field_of(entry, 'v'), attempt, math.max(0, now_ms - added_ms), used_up}
