-- reclaim: an intake takes entries that got lost on their way, or whose worker is gone, to send them again.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- KEYS[3]  errors: hash of the same to one line for each attempt that failed
-- ARGV[1]  consumer group
-- ARGV[2]  this intake's consumer name, `intake:<process>`
-- ARGV[3]  short name of the stream
-- ARGV[4]  the time, for the history of errors
-- ARGV[5]  from here on entry id, the consumer that had it when the intake looked, and for how many milliseconds it must
--          have had no sign of life by now, in turn: another intake may have been faster, the worker may live after all
--
-- Returns the ids of those that are this intake's now.
local taken = {}
for i = 5, #ARGV, 3 do
  local id, owner = ARGV[i], ARGV[i + 1]
  local owner_now, idle_ms = holder(KEYS[1], ARGV[1], id)
  if owner_now == owner and idle_ms >= tonumber(ARGV[i + 2]) then
    if role(owner) == 'worker' then
      note_silence(KEYS[2], KEYS[3], ARGV[3] .. '/' .. id, owner, ARGV[4])
    end
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id, 'JUSTID')
    taken[#taken + 1] = id
  end
end
return taken
