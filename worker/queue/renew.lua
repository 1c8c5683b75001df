-- renew: a worker that is still at an entry goes on holding it.
--
-- KEYS[1]  job stream
-- ARGV[1]  consumer group
-- ARGV[2]  entry id
-- ARGV[3]  this worker's consumer name
--
-- Returns 1, or 0 when the entry is no longer this worker's and nothing was done.
if holder(KEYS[1], ARGV[1], ARGV[2]) ~= ARGV[3] then
  return 0
end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[3], 0, ARGV[2], 'JUSTID')
return 1
