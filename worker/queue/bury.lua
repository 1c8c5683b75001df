-- bury: a job that can't be scored becomes a dead letter, and its entry is done with.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- KEYS[3]  errors: hash of the same to one line for each attempt that failed
-- KEYS[4]  dead stream
-- KEYS[5]  results stream                                   | these three only
-- KEYS[6]  the trace's hash of job id to results entry id   | when the job's ids
-- KEYS[7]  the job's done marker                            | could be read
-- ARGV[1]  consumer group
-- ARGV[2]  entry id
-- ARGV[3]  this worker's consumer name, `worker:<process>`
-- ARGV[4]  the entry's field in attempts and errors
-- ARGV[5]  the attempt, as begin counted it
-- ARGV[6]  short name of the job stream, so that the dead letter can be replayed onto it
-- ARGV[7]  dead letters to keep, roughly
-- ARGV[8]  bytes of the payload to keep
-- ARGV[9]  reason
-- ARGV[10] path of the field at fault
-- ARGV[11] what was wrong, one line
-- ARGV[12] trace id                                         | with KEYS[5] to [7]
-- ARGV[13] span id                                          |
-- ARGV[14] job id                                           |
-- ARGV[15] the error result as JSON                         |
-- ARGV[16] milliseconds to keep the hash and the marker     |
--
-- Returns 'buried', or 'lost' when the entry is no longer this worker's or was begun with anew, and nothing was written.
if not is_mine(KEYS[1], ARGV[1], ARGV[2], ARGV[3], KEYS[2], ARGV[4], ARGV[5]) then
  return 'lost'
end
local letter = {
  'reason', ARGV[9], 'field', ARGV[10], 'error', ARGV[11],
  'attempts', ARGV[5], 'stream', ARGV[6], 'entry_id', ARGV[2],
}
local function add(name, value)
  letter[#letter + 1] = name
  letter[#letter + 1] = value
end
if #KEYS == 7 then
  add('trace_id', ARGV[12])
  add('span_id', ARGV[13])
  add('job_id', ARGV[14])
end
local history = redis.call('HGET', KEYS[3], ARGV[4])
if history then
  add('errors', history)
end
local entry = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
if entry then
  local version, payload = field_of(entry, 'v'), field_of(entry, 'payload')
  if version then
    add('v', string.sub(version, 1, 16))
  end
  if payload then
    add('payload_bytes', #payload)
    add('payload', string.sub(payload, 1, tonumber(ARGV[8])))
  end
end
redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[7], '*', unpack(letter))
-- Whoever waits for the job gets an error result. Where its id has a good one, that one goes on counting: it keeps its
-- marker and its place in its trace's hash; in another trace somebody waits for this job all the same.
if #KEYS == 7 then
  local marker = own('GET', KEYS[7])
  local good = marker and string.sub(marker, 1, 2) ~= '- '
  if not good or own('HEXISTS', KEYS[6], ARGV[14]) == 0 then
    add_result({results = KEYS[5], trace = KEYS[6], done = not good and KEYS[7] or nil}, {
      trace_id = ARGV[12], span_id = ARGV[13], job_id = ARGV[14],
      payload = ARGV[15], hash = '-', ttl_ms = ARGV[16],
    })
  end
end
finish(KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2], ARGV[4])
return 'buried'
