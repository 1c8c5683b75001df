-- combine: one step of joining the results of a span, done as a whole or not at all.
--
-- KEYS[1]  results stream
-- KEYS[2]  the span's parts: JSON of what has arrived; without expiry until its first composite is published
-- KEYS[3]  deadlines: sorted set of parts keys by the time, in milliseconds, at which their composite is due anyway
-- KEYS[4]  composites stream
-- ARGV[1]  consumer group
-- ARGV[2]  entry id of the result that is joined; empty when a deadline has passed instead
-- ARGV[3]  the parts from which this step was computed; empty for none
-- ARGV[4]  what to do:
--            publish  add the composite, keep the parts for a while, wait no longer
--            wait     keep the parts, and wait for others from the first one on
--            keep     keep the parts of a composite that does not change by them
--            drop     forget a deadline whose parts are gone
--            nothing  the result brings nothing new
-- ARGV[5]  the parts after this step
-- ARGV[6]  milliseconds to wait for other parts
-- ARGV[7]  milliseconds to keep the parts once a composite is published
-- ARGV[8]  trace id          | for publish
-- ARGV[9]  span id           |
-- ARGV[10] composite as JSON |
-- ARGV[11] composites to keep, roughly
--
-- Returns one of
--   done     all of it, and the result is acknowledged
--   gone     somebody else has done it; nothing was written
--   changed  the parts are no longer those of ARGV[3]; nothing was written, compute the step anew
local joining = ARGV[2] ~= ''
if joining then
  if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[2], ARGV[2], 1) == 0 then
    return 'gone'
  end
elseif not redis.call('ZSCORE', KEYS[3], KEYS[2]) then
  return 'gone'
end
if (redis.call('GET', KEYS[2]) or '') ~= ARGV[3] then
  return 'changed'
end
local step = ARGV[4]
if step == 'publish' then
  redis.call('XADD', KEYS[4], 'MAXLEN', '~', ARGV[11], '*',
    'trace_id', ARGV[8], 'span_id', ARGV[9], 'v', '1', 'payload', ARGV[10])
  redis.call('SET', KEYS[2], ARGV[5], 'PX', ARGV[7])
  redis.call('ZREM', KEYS[3], KEYS[2])
elseif step == 'wait' then
  redis.call('SET', KEYS[2], ARGV[5])
  local now = redis.call('TIME')
  local now_ms = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
  redis.call('ZADD', KEYS[3], 'NX', now_ms + tonumber(ARGV[6]), KEYS[2])
elseif step == 'keep' then
  redis.call('SET', KEYS[2], ARGV[5], 'PX', ARGV[7])
elseif step == 'drop' then
  redis.call('ZREM', KEYS[3], KEYS[2])
end
if joining then
  redis.call('XACK', KEYS[1], ARGV[1], ARGV[2])
end
return 'done'
