-- What begin, renew, publish and bury share; entries.py puts it in front of each of them.
-- Every key that a script touches comes in through KEYS, and all of them carry the same hash tag, so that the scripts
-- run in a Redis cluster too. They need Redis 6.2 or later (XPENDING, XCLAIM, scripts replicated by their effects).
--
-- An entry of a job stream is at any time either
--   new                     no consumer has read it,
--   sent                    pending for a consumer `intake:<host>:<pid>`: on its way to a worker,
--   in work                 pending for a consumer `worker:<host>:<pid>`,
--   or gone                 it has its result or is a dead letter.

-- The consumer that an entry is pending for, and the milliseconds since it was last claimed or renewed; nil when it is gone.
local function holder(stream, group, id)
  local pending = redis.call('XPENDING', stream, group, id, id, 1)[1]
  if pending then
    return pending[2], pending[3]
  end
  return nil
end

-- The value of one field of an entry, or false. Of a field that stands there twice the last one counts.
local function field(entry, name)
  local value = false
  for i = 1, #entry[2], 2 do
    if entry[2][i] == name then
      value = entry[2][i + 1]
    end
  end
  return value
end

-- The entry's work is over: it leaves the group, the stream and the count of attempts.
local function finish(stream, attempts, group, id, attempts_field)
  redis.call('XACK', stream, group, id)
  redis.call('XDEL', stream, id)
  redis.call('HDEL', attempts, attempts_field)
end

-- Adds a result where it can be found: on the results stream, in its trace's hash and in the job's done
-- marker, which is left as it is where `keys.done` is nil.
-- `hash` is the job's content hash, or '-' for the result of a dead letter, which may be tried again.
local function add_result(keys, result)
  local id = redis.call('XADD', keys.results, '*',
    'trace_id', result.trace_id, 'span_id', result.span_id, 'job_id', result.job_id, 'v', '1',
    'payload', result.payload)
  redis.call('HSET', keys.trace, result.job_id, id)
  redis.call('PEXPIRE', keys.trace, result.ttl_ms)
  if keys.done then
    redis.call('SET', keys.done, result.hash .. ' ' .. id, 'PX', result.ttl_ms)
  end
  return id
end
