-- publish: a job gets its one result, and its entry is done with.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- KEYS[3]  errors: hash of the same to one line for each attempt that failed
-- KEYS[4]  results stream
-- KEYS[5]  the trace's hash of job id to results entry id
-- KEYS[6]  the job's done marker
-- KEYS[7]  scored: stream of jobs that are kept; only where they are
-- ARGV[1]  consumer group
-- ARGV[2]  entry id
-- ARGV[3]  this worker's consumer name, `worker:<process>`
-- ARGV[4]  the entry's field in attempts and errors
-- ARGV[5]  the attempt, as begin counted it
-- ARGV[6]  trace id
-- ARGV[7]  span id
-- ARGV[8]  job id
-- ARGV[9]  the result as JSON
-- ARGV[10] the job's content hash
-- ARGV[11] milliseconds to keep the trace's hash and the done marker
-- ARGV[12] milliseconds to keep the job; with KEYS[7] only
--
-- Returns one of
--   published  the result is on the results stream
--   duplicate  the same job has a result already; nothing was written, the entry is gone
--   conflict   another job with this id has a result; nothing was written, the entry is still there
--   lost       the entry is no longer this worker's, or was begun with anew; nothing was written
if not is_mine(KEYS[1], ARGV[1], ARGV[2], ARGV[3], KEYS[2], ARGV[4], ARGV[5]) then
  return 'lost'
end
local outcome = 'published'
local marker = own('GET', KEYS[6])
local known = marker and string.match(marker, '^%S+')
if not known or known == '-' then
  add_result({results = KEYS[4], trace = KEYS[5], done = KEYS[6]}, {
    trace_id = ARGV[6], span_id = ARGV[7], job_id = ARGV[8],
    payload = ARGV[9], hash = ARGV[10], ttl_ms = ARGV[11],
  })
  if #KEYS == 7 then
    keep_job(KEYS[1], KEYS[7], ARGV[2], ARGV[12])
  end
elseif known == ARGV[10] then
  outcome = 'duplicate'
else
  return 'conflict'
end
finish(KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2], ARGV[4])
return outcome
