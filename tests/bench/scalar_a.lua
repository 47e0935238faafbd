-- The loop of scalar_a.pto.
local n = tonumber(arg[1])
local s, k, i = 0, 3, 0
while i < n do
  s = s + i * k
  if s > 1000000 then s = s - 1000000 * k end
  k = k + 1
  if k > 7 then k = 3 end
  i = i + 1
end
print(s)
