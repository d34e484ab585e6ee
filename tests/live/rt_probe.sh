#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# quench probe on the real clock: the device is another process behind four veths. The test judges
# classes and counts: none may be wrong, and one may be missing only if the run says that loops came
# too late. Then SIGINT ends a step: the command prints the table so far, and each port that was
# stopped gets an XON.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_probe.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="quench probe behind veth"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
net_begin
# shellcheck source=tests/live/probe_net.sh
. tests/live/probe_net.sh
probe_ports veth
device_begin veth

# Seen from outside, the device is one at 10 Gb/s whose clock is 100 times slower.
probe_done probe --steps pause,refresh,xon,alpha,marks --set probe.device_dilate=100
python3 tests/live/probe.py "$out/probe" 100 || fail "a finding is wrong, or missing"

# Step `overfill` holds the egress to p3. The listener is where the device gets pauses from p3.
ip netns exec "$s" python3 tests/live/pfc.py d3 "$out/pfc" &
reader=$!
await grep -qs listens "$out/pfc" || fail "nobody listens"
probe ended --steps xoff >"$out/table" 2>"$out/log" &
prober=$!
holds() {
	grep -Eq '^PFC .*[1-9][0-9]{4}' "$out/pfc" || ! kill -0 $prober 2>/dev/null
}
await holds || fail "the device has gone"
ended=$(ip netns pids "$a")
# shellcheck disable=SC2086 # several words
kill -INT $ended
code=0
wait $prober || code=$?
[ $code = 130 ] || fail "after SIGINT quench probe ended with $code"
grep -q '^device dut' "$out/table" || fail "no table after SIGINT"
grep -q '"interrupted": true' "$out/ended/probe.json" || fail "probe.json does not tell"
released() {
	tail -n 1 "$out/pfc" | grep -Eq '^PFC [0-9a-f]+ 0,0,0,0,0,0,0,0$'
}
await released || fail "a port that was stopped got no XON: $(tail -n 3 "$out/pfc")"

device_end
