#!/bin/sh
# Runs Chromium until it ends or until our standard input closes, which happens however the main process ends,
# kill -9 included; then removes the profile. Usage: chromium-guard.sh PROFILE COMMAND ARGUMENT…
profile=$1
shift
exec 3<&0
"$@" </dev/null 3<&- &
browser=$!
(
  cat <&3 >/dev/null
  kill -9 "$browser" 2>/dev/null
) &
watcher=$!
exec 3<&-
# the reader of our messages may be gone, and the shell has one for a killed child
exec 2>/dev/null
wait "$browser"
code=$?
kill "$watcher"
# helpers of the browser may write for a moment after its end
for _ in 1 2 3 4 5; do
  rm -rf "$profile" && break
  sleep 0.1
done
exit "$code"
