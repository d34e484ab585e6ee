#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ports that fail beside a bystander: one without a link, one whose peer goes down and up, one that
# is removed. The bystander's flow, in the same lossless class, loses at most 2 % of its frames,
# besides those that a busy machine has no time to read.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_link.sh QUENCH net_af_packet|net_af_xdp
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
driver=${2:-net_af_packet}
what="a port of $driver that loses its link"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_link.yaml
echo_py=$PWD/tests/live/echo.py
counter='' flow=''
count=2000
net_begin

at() { # HOST COMMAND...
	local ns=quench-$1-$id
	shift
	ip netns exec "$ns" "$@"
}

neighbour() { # HOST NUMBER
	at "$1" ip neigh replace "10.1.1.$2" dev e0 lladdr "02:00:00:00:01:0$2" nud permanent
}

# A cable to host $1, number $2, whose addresses all others know.
plug() { # HOST NUMBER
	cable "quench-$1-$id" "s$1" "10.1.1.$2"
	at "$1" ip link set e0 address "02:00:00:00:01:0$2"
	for k in 1 2 3 4; do
		[ $k = "$2" ] || neighbour "$1" $k
	done
}

run() { # OPTION...
	local device=()
	for h in a b c d; do
		device+=(--set "ports.s1:$h.device=${driver}_$h,iface=s$h")
	done
	rm -rf "$out/run"
	: >"$out/log"
	sent=0 came=0
	ip netns exec $s "$quench" run "$scenario" --clock real --out "$out/run" \
		"${device[@]}" "$@" >"$out/log" 2>&1 &
	pid=$!
	begin_count b 2 1
	await one_came 2 || fail "no frame comes through the switch"
}

# Host $1, number $2, counts $3 frames from now on.
begin_count() { # HOST NUMBER COUNT
	ip netns exec "quench-$1-$id" python3 "$echo_py" count "10.1.1.$2" "$3" >"$out/count" &
	counter=$!
	await counts "$1" || fail "nobody counts at $1"
}

counts() { # HOST
	at "$1" ss -Hlun 'sport = 4002' | grep -q .
}

# Another frame goes from a to host number $1; the counter ends once one has come.
one_came() { # NUMBER
	at a python3 "$echo_py" pace "10.1.1.$1" 1 100
	! kill -0 $counter 2>/dev/null
}

# The line may come after the end of the run.
said() { # WORDS
	await grep -q "$1" "$out/log" || grep -q "$1" "$out/log" || fail "expected: $1"
}

# The bystander's flow from a to b, while the rest happens.
begin_flow() {
	begin_count b 2 $count
	ip netns exec "quench-a-$id" python3 "$echo_py" pace 10.1.1.2 $count 1000 &
	flow=$!
	sleep 0.2
}

end_flow() {
	wait $flow || fail "the bystander cannot send"
	flow=''
	wait $counter
	counter=''
	sent=$((sent + count))
	came=$((came + $(cat "$out/count")))
}

# Frames that port s1:a lost before they came to the switch: its loop came too late for them.
lost_before() {
	python3 - "$out/run/summary.json" <<'END'
import json
import sys

with open(sys.argv[1]) as f:
    print(next(d["lost_rx"] for d in json.load(f)["devices"] if d["port"] == "s1:a"))
END
}

ended() { # CODE
	local code=0
	wait "$pid" || code=$?
	pid=''
	# A lossless frame that stood in the queue of the port that went down is a verdict of its
	# own.
	if [ "$code$1" = 10 ] && grep -q '"link_down": [1-9]' "$out/run/summary.json"; then
		code=0
	fi
	[ "$code" = "$1" ] || fail "quench ended with $code: $(grep -E -A20 '"verdicts"' \
		"$out/run/summary.json")"
	grep -q '"conserved": true' "$out/run/summary.json" || fail "not conserved"
	grep -q '"pool_missing": 0' "$out/run/summary.json" || fail "descriptors are missing"
	[ $((came + $(lost_before))) -ge $((sent * 98 / 100)) ] ||
		fail "of the bystander's $sent frames $came came; lost before s1:a: $(lost_before)"
	at s ip -d link show sa | grep -q 'promiscuity 0' || fail "sa is promiscuous still"
}

plug a 1
plug b 2
plug c 3
plug d 4

at c ip link set e0 down
run --set wait_link=0s
said 'port s1:c: no link: interface sc has no carrier'
begin_flow
at d python3 "$echo_py" groups 10.1.1.4 200 1000
end_flow
echo "ok: $driver: a port without a link does not pause the network"

at c ip link set e0 up
said 'port s1:c: its link is up again'
neighbour c 1
begin_count c 3 1
await one_came 3 || fail "nothing comes to c, whose link is up again"
begin_flow
at c ip link set e0 down
at d python3 "$echo_py" groups 10.1.1.4 200 1000
said 'port s1:c: its link is down at .*interface sc has no carrier'
end_flow
kill -INT "$pid"
ended 130
said '^NO LINK: port s1:c has had none since .*interface sc has no carrier'
echo "ok: $driver: a peer comes up and goes down"

at c ip link set e0 up
run --instance "link-$id"
begin_flow
ip -n $s link del sd
at c python3 "$echo_py" groups 10.1.1.3 200 1000
said 'port s1:d: its device is gone for good at .*interface sd was removed'
end_flow
stop_run "link-$id"
ended 0
said '^DEVICE GONE: port s1:d has had none since '
echo "ok: $driver: a removed interface is named, and the run goes on"

plug d 4
run --set on_link_loss=fail
at d python3 "$echo_py" groups 10.1.1.4 20 1000
ip -n $s link del sd
ended 1
said 'port s1:d lost its link at .*interface sd \(was removed\|is down\)'
grep -q '"link_loss": "port s1:d lost its link' "$out/run/summary.json" || fail "not in the results"
echo "ok: $driver: with on_link_loss: fail the loss ends the run"
