-- release: a worker that stops hands entries back. What it had in work gets its attempt back.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- ARGV[1]  consumer group
-- ARGV[2]  this worker's process, as it stands in its consumer names
-- ARGV[3]  consumer name to leave them with, one of an intake, so that any worker may take them
-- ARGV[4]  idle time in milliseconds to leave them with, so long that the next intake that looks sends them again
-- ARGV[5]  short name of the stream
-- ARGV[6]  entry ids from here on
--
-- Returns the number of entries that were this worker's.
local released = 0
for i = 6, #ARGV do
  local owner = holder(KEYS[1], ARGV[1], ARGV[i])
  if owner == 'worker:' .. ARGV[2] or owner == 'held:' .. ARGV[2] then
    if role(owner) == 'worker' then
      local field = ARGV[5] .. '/' .. ARGV[i]
      local attempt = count_of(KEYS[2], field) - 1
      if attempt > 0 then
        redis.call('HSET', KEYS[2], field, attempt)
      else
        redis.call('HDEL', KEYS[2], field)
      end
    end
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[i], 'IDLE', ARGV[4], 'JUSTID')
    released = released + 1
  end
end
return released
