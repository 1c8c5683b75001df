-- tidy: the group forgets consumers that hold nothing and have not been heard of for long.
-- One script, for XGROUP DELCONSUMER drops what a consumer has pending, and it may have taken something a moment ago.
--
-- KEYS[1]  job stream
-- ARGV[1]  consumer group
-- ARGV[2]  milliseconds without a sign of life
--
-- Returns the number of consumers that are gone.
local gone = 0
for _, reply in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for i = 1, #reply, 2 do
    consumer[reply[i]] = reply[i + 1]
  end
  if consumer.pending == 0 and consumer.idle >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
    gone = gone + 1
  end
end
return gone
