-- hold: a worker takes the entries of a message, before it begins with the first of them. No attempt is counted.
--
-- KEYS[1]  job stream
-- ARGV[1]  consumer group
-- ARGV[2]  this worker's consumer name for what it holds, `held:<process>`
-- ARGV[3]  entry ids from here on
--
-- Returns the number of entries that were on their way to a worker, and are this one's now.
local taken = 0
for i = 3, #ARGV do
  local owner = holder(KEYS[1], ARGV[1], ARGV[i])
  if owner and role(owner) == 'intake' then
    redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
    taken = taken + 1
  end
end
return taken
