-- renew: a worker that still has entries in work or holds them goes on doing so.
--
-- KEYS[1]  job stream
-- ARGV[1]  consumer group
-- ARGV[2]  this worker's process, as it stands in its consumer names
-- ARGV[3]  entry ids from here on
--
-- Returns the ids of those that are no longer this worker's, with which nothing was done.
local lost = {}
for i = 3, #ARGV do
  local owner = holder(KEYS[1], ARGV[1], ARGV[i])
  if owner == 'worker:' .. ARGV[2] or owner == 'held:' .. ARGV[2] then
    redis.call('XCLAIM', KEYS[1], ARGV[1], owner, 0, ARGV[i], 'JUSTID')
  else
    lost[#lost + 1] = ARGV[i]
  end
end
return lost
