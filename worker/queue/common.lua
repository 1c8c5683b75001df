-- What the scripts of this folder share; scripts.py puts it in front of each of them.
-- Every key that a script touches comes in through KEYS, and all of them carry the same hash tag, so that the scripts
-- run in a Redis cluster too. They need Redis 6.2 or later (XPENDING, XCLAIM, scripts replicated by their effects).
--
-- An entry of a job stream is at any time either
--   new        no consumer has read it,
--   sent       pending for a consumer `intake:<process>`: on its way to a worker,
--   held       pending for a consumer `held:<process>`: a worker has it and has not begun with it,
--   in work    pending for a consumer `worker:<process>`, and one attempt was counted for it,
--   backed off pending for a consumer `retry:<milliseconds>`: it is sent again when it has been idle for so long,
--   or gone    it has its result or is a dead letter.

-- Lines of an entry's history of errors to keep: with the default of five attempts all of them.
local MAX_LINES = 10

-- The consumer that an entry is pending for, and the milliseconds since it was last claimed or renewed; nil when it is gone.
local function holder(stream, group, id)
  local pending = redis.call('XPENDING', stream, group, id, id, 1)[1]
  if pending then
    return pending[2], pending[3]
  end
  return nil
end

-- The role in a consumer's name: what stands before its first colon.
local function role(consumer)
  return string.match(consumer, '^[^:]*')
end

-- How often a worker has begun with an entry. What is no number was not written by us and counts as none.
local function count_of(attempts, field)
  return tonumber(redis.call('HGET', attempts, field) or 0) or 0
end

-- Whether this worker has the entry in work, in this very attempt: a process that lost an entry while it stood still must
-- not write for an attempt that it began with later.
local function is_mine(stream, group, id, worker, attempts, field, attempt)
  return holder(stream, group, id) == worker and count_of(attempts, field) == tonumber(attempt)
end

-- The value of one field of an entry, or false. Of a field that stands there twice the last one counts.
local function field_of(entry, name)
  local value = false
  for i = 1, #entry[2], 2 do
    if entry[2][i] == name then
      value = entry[2][i + 1]
    end
  end
  return value
end

-- Adds a line to an entry's history of errors, one for each attempt.
local function note(errors, field, attempt, problem, consumer, now)
  local lines = {}
  for line in string.gmatch(redis.call('HGET', errors, field) or '', '[^\n]+') do
    lines[#lines + 1] = line
  end
  local start = 'attempt ' .. attempt .. ': '
  if lines[#lines] and string.sub(lines[#lines], 1, #start) == start then
    return
  end
  lines[#lines + 1] = start .. problem .. '; ' .. consumer .. '; ' .. now
  local first = math.max(1, #lines - MAX_LINES + 1)
  redis.call('HSET', errors, field, table.concat(lines, '\n', first))
end

-- Notes that an attempt ended without a word: its worker was killed, or stood still for longer than its lease.
local function note_silence(attempts, errors, field, consumer, now)
  note(errors, field, count_of(attempts, field), 'the worker died or stood still', consumer, now)
end

-- The entry's work is over: it leaves the group, the stream, the count of attempts and the history of errors.
local function finish(stream, attempts, errors, group, id, field)
  redis.call('XACK', stream, group, id)
  redis.call('XDEL', stream, id)
  redis.call('HDEL', attempts, field)
  redis.call('HDEL', errors, field)
end

-- Runs a command on a key that is ours alone. What somebody else put there under another type goes, for a job must not
-- wait for ever on account of it.
local function own(command, key, ...)
  local reply = redis.pcall(command, key, ...)
  if type(reply) == 'table' and reply.err then
    if not string.find(reply.err, 'WRONGTYPE', 1, true) then
      error(reply.err)
    end
    redis.call('DEL', key)
    reply = redis.call(command, key, ...)
  end
  return reply
end

-- Keeps the payload of an entry for a while, so that the job can be scored once more. Old ones go as new ones come, all of
-- them when none came for so long.
local function keep_job(stream, scored, id, keep_ms)
  local entry = redis.call('XRANGE', stream, id, id)[1]
  local payload = entry and field_of(entry, 'payload')
  if payload then
    local now = redis.call('TIME')
    local oldest = tonumber(now[1]) * 1000 - tonumber(keep_ms)
    own('XADD', scored, 'MINID', '~', string.format('%.0f', math.max(0, oldest)), '*', 'payload', payload)
    redis.call('PEXPIRE', scored, keep_ms)
  end
end

-- Adds a result where it can be found: on the results stream, in its trace's hash and in the job's done
-- marker, which is left as it is where `keys.done` is nil.
-- `hash` is the job's content hash, or '-' for the result of a dead letter, which may be tried again.
local function add_result(keys, result)
  local id = redis.call('XADD', keys.results, '*',
    'trace_id', result.trace_id, 'span_id', result.span_id, 'job_id', result.job_id, 'v', '1',
    'payload', result.payload)
  own('HSET', keys.trace, result.job_id, id)
  redis.call('PEXPIRE', keys.trace, result.ttl_ms)
  if keys.done then
    redis.call('SET', keys.done, result.hash .. ' ' .. id, 'PX', result.ttl_ms)
  end
  return id
end
