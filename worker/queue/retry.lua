-- retry: an attempt failed by a fault that passes; the entry is to be sent again after a while.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- KEYS[3]  errors: hash of the same to one line for each attempt that failed
-- ARGV[1]  consumer group
-- ARGV[2]  entry id
-- ARGV[3]  this worker's consumer name, `worker:<process>`
-- ARGV[4]  the entry's field in attempts and errors
-- ARGV[5]  the attempt, as begin counted it
-- ARGV[6]  milliseconds to wait
-- ARGV[7]  what was wrong, one line
-- ARGV[8]  the time, for the history of errors
--
-- Returns 1, or 0 when the entry is no longer this worker's and nothing was done.
if not is_mine(KEYS[1], ARGV[1], ARGV[2], ARGV[3], KEYS[2], ARGV[4], ARGV[5]) then
  return 0
end
note(KEYS[3], ARGV[4], ARGV[5], ARGV[7], ARGV[3], ARGV[8])
redis.call('XCLAIM', KEYS[1], ARGV[1], 'retry:' .. ARGV[6], 0, ARGV[2], 'JUSTID')
return 1
