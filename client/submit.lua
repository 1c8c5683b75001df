-- submit: a producer hands over a job: what is known of its id, the backlog and the new entry in one step.
--
-- KEYS[1]  job stream
-- KEYS[2]  the trace's hash of job id to results entry id
-- KEYS[3]  the job's done marker: `<content hash or -> <results entry id>`
-- KEYS[4]  counter of the jobs that were dropped
-- ARGV[1]  job id
-- ARGV[2]  the job's content hash
-- ARGV[3]  the job as JSON
-- ARGV[4]  entries of the job stream from which on it is full; 0: it is never full
-- ARGV[5]  what to do with a job then: refuse or drop
--
-- Returns one of
--   {'sent', entry id, results entry id that the job id had in this trace before, or nil}
--   {'known'}                    the same job has its result; nothing was written
--   {'conflict'}                 another job with this id has its result; nothing was written
--   {'refused', entries there}   the stream is full; nothing was written
--   {'dropped', entries there}   the stream is full; the counter was raised
local marker = redis.call('GET', KEYS[3])
local known = marker and string.match(marker, '^%S+')
if known == ARGV[2] then
  return {'known'}
elseif known and known ~= '-' then
  return {'conflict'}
end
local full = tonumber(ARGV[4])
if full > 0 then
  local entries = redis.call('XLEN', KEYS[1])
  if entries >= full and ARGV[5] == 'drop' then
    redis.call('INCR', KEYS[4])
    return {'dropped', entries}
  elseif entries >= full then
    return {'refused', entries}
  end
end
local earlier = redis.call('HGET', KEYS[2], ARGV[1])
return {'sent', redis.call('XADD', KEYS[1], '*', 'v', '1', 'payload', ARGV[3]), earlier}
