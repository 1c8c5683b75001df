-- bury: a job that can't be scored becomes a dead letter, and its entry is done with.
--
-- KEYS[1]  job stream
-- KEYS[2]  attempts: hash of `<stream>/<entry id>` to the number of starts
-- KEYS[3]  dead stream
-- KEYS[4]  results stream                                   | these three only
-- KEYS[5]  the trace's hash of job id to results entry id   | when the job's ids
-- KEYS[6]  the job's done marker                            | could be read
-- ARGV[1]  consumer group
-- ARGV[2]  entry id
-- ARGV[3]  this worker's consumer name
-- ARGV[4]  the entry's field in attempts
-- ARGV[5]  short name of the job stream, so that the dead letter can be replayed onto it
-- ARGV[6]  dead letters to keep, roughly
-- ARGV[7]  bytes of the payload to keep
-- ARGV[8]  reason
-- ARGV[9]  path of the field at fault
-- ARGV[10] what was wrong, one line
-- ARGV[11] trace id                                         | with KEYS[4] to [6]
-- ARGV[12] span id                                          |
-- ARGV[13] job id                                           |
-- ARGV[14] the error result as JSON                         |
-- ARGV[15] milliseconds to keep the hash and the marker     |
--
-- Returns 'buried', or 'lost' when the entry is no longer this worker's and nothing was written.
if holder(KEYS[1], ARGV[1], ARGV[2]) ~= ARGV[3] then
  return 'lost'
end
local letter = {
  'reason', ARGV[8], 'field', ARGV[9], 'error', ARGV[10],
  'attempts', redis.call('HGET', KEYS[2], ARGV[4]) or '0',
  'stream', ARGV[5], 'entry_id', ARGV[2],
}
local function add(name, value)
  letter[#letter + 1] = name
  letter[#letter + 1] = value
end
if #KEYS == 6 then
  add('trace_id', ARGV[11])
  add('span_id', ARGV[12])
  add('job_id', ARGV[13])
end
local entry = redis.call('XRANGE', KEYS[1], ARGV[2], ARGV[2])[1]
if entry then
  local version, payload = field(entry, 'v'), field(entry, 'payload')
  if version then
    add('v', string.sub(version, 1, 16))
  end
  if payload then
    add('payload_bytes', #payload)
    add('payload', string.sub(payload, 1, tonumber(ARGV[7])))
  end
end
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[6], '*', unpack(letter))
-- Whoever waits for the job gets an error result. Where its id has a good one, that one goes on counting: it keeps its
-- marker and its place in its trace's hash; in another trace somebody waits for this job all the same.
if #KEYS == 6 then
  local marker = redis.call('GET', KEYS[6])
  local good = marker and string.sub(marker, 1, 2) ~= '- '
  if not good or redis.call('HEXISTS', KEYS[5], ARGV[13]) == 0 then
    add_result({results = KEYS[4], trace = KEYS[5], done = not good and KEYS[6] or nil}, {
      trace_id = ARGV[11], span_id = ARGV[12], job_id = ARGV[13],
      payload = ARGV[14], hash = '-', ttl_ms = ARGV[15],
    })
  end
end
finish(KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[4])
return 'buried'
