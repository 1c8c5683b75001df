-- publish: a job gets its one result, and its entry is done with.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- KEYS[3]  results stream
-- KEYS[4]  the trace's hash of job id to results entry id
-- KEYS[5]  the job's done marker
-- ARGV[1]  consumer group
-- ARGV[2]  entry id
-- ARGV[3]  this worker's consumer name
-- ARGV[4]  the entry's field in attempts
-- ARGV[5]  trace id
-- ARGV[6]  span id
-- ARGV[7]  job id
-- ARGV[8]  the result as JSON
-- ARGV[9]  the job's content hash
-- ARGV[10] milliseconds to keep the trace's hash and the done marker
--
-- Returns one of
--   published  the result is on the results stream
--   duplicate  the same job has a result already; nothing was written, the entry is gone
--   conflict   another job with this id has a result; nothing was written, the entry is still there
--   lost       the entry is no longer this worker's; nothing was written
if holder(KEYS[1], ARGV[1], ARGV[2]) ~= ARGV[3] then
  return 'lost'
end
local outcome = 'published'
local marker = redis.call('GET', KEYS[5])
local known = marker and string.match(marker, '^%S+')
if not known or known == '-' then
  add_result({results = KEYS[3], trace = KEYS[4], done = KEYS[5]}, {
    trace_id = ARGV[5], span_id = ARGV[6], job_id = ARGV[7],
    payload = ARGV[8], hash = ARGV[9], ttl_ms = ARGV[10],
  })
elseif known == ARGV[9] then
  outcome = 'duplicate'
else
  return 'conflict'
end
finish(KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[4])
return outcome
