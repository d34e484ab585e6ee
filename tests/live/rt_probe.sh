#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# quench probe on the real clock: the device is another process behind four veths. The test judges
# classes and counts. On a busy machine a figure may be missing, but none may be wrong. Then SIGINT
# ends a step: the command prints the table so far, and each port that was stopped gets an XON.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_probe.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="quench probe behind veth"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
net_begin
ip netns add "$a"

# rt_probe.yaml with devices d1.. at the switch, or g1.. at the hosts
with_ports() { # dut|hosts
	local k
	cat tests/live/rt_probe.yaml
	echo 'ports:'
	for k in 1 2 3 4; do
		if [ "$1" = dut ]; then
			port "dut:p$k" "net_af_packet$k,iface=d$k"
		else
			port "p$k:dut" "net_af_packet$k,iface=g$k"
		fi
	done
}

# A ring that holds the frames of the longest gap.
port() { # NAME DEVICE
	echo "  $1: {device: \"$2,framecnt=8192\", mtu: 1518}"
}

for k in 1 2 3 4; do
	join "$a" g$k d$k
	ip netns exec "$s" ethtool -K d$k tx off rx off tso off gso off gro off >/dev/null
	ip netns exec "$a" ethtool -K g$k tx off rx off tso off gso off gro off >/dev/null
done
with_ports dut >"$out/dut.yaml"
with_ports hosts >"$out/bench.yaml"

ip netns exec "$s" "$quench" run "$out/dut.yaml" --clock real --quiet --out "$out/dut" \
	--allow-storm 100s --instance "dut-$id" >"$out/log" 2>&1 &
pid=$!
await "$quench" stats --instance "dut-$id" --json >/dev/null 2>&1 || fail "the device does not run"

probe() { # FOLDER OPTION...
	local to=$1
	shift
	ip netns exec "$a" env --default-signal "$quench" probe "$out/bench.yaml" \
		--allow-storm 10s --instance "probe-$id" --out "$out/$to" "$@"
}

# 3 says that something was INVALID.
code=0
probe probe --steps pause,xon,alpha,marks --quiet --json >"$out/json" 2>"$out/log" || code=$?
[ $code = 0 ] || [ $code = 3 ] || fail "quench probe ended with $code"
python3 tests/live/probe.py "$out/json" || fail "a finding is wrong"

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

kill -INT "$pid"
code=0
wait "$pid" || code=$?
pid=''
[ $code = 130 ] || fail "the device ended with $code"
