#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What goes wrong around a run on real ports: each time one clear line, the results so far kept,
# nothing hangs, and the port's settings are put back.
# Needs root, ip, ethtool, setpriv and python3; else it says so and is skipped (77).
# usage: rt_faults.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="what goes wrong around real ports"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_veth.yaml
frames=$PWD/tests/live/frames.py
net_begin
cable $a sa 10.1.1.1
cable $b sb 10.1.1.2

run() { # OPTION...
	ip netns exec $s timeout 60 "$quench" run "$scenario" --clock real --quiet "$@" \
		>"$out/log" 2>&1
}

begin() { # OPTION...
	rm -rf "$out/run"
	ip netns exec $s "$quench" run "$scenario" --clock real --quiet --out "$out/run" "$@" \
		>"$out/log" 2>&1 &
	pid=$!
	for ((i = 0; i < 100; i++)); do
		if "$quench" stats --instance "$pid" >/dev/null 2>&1; then
			return 0
		fi
		kill -0 "$pid" 2>/dev/null || fail "quench ended at once"
		sleep 0.1
	done
	fail "the run does not begin"
}

# The run's end with one of the exit codes, and everything accounted for.
ended() { # CODE...
	local code=0 c
	wait "$pid" || code=$?
	pid=''
	for c in "$@"; do
		[ "$c" != "$code" ] || break
	done
	[ "$c" = "$code" ] || fail "quench ended with $code"
	grep -q '"conserved": true' "$out/run/summary.json" || fail "not conserved"
	grep -q '"pool_missing": 0' "$out/run/summary.json" || fail "descriptors are missing"
	as_it_was
}

# sa is not promiscuous and has its MTU.
as_it_was() {
	ip -n $s -d link show sa | tr -d '\n' | grep -q 'mtu 1500.* promiscuity 0 ' ||
		fail "the port's settings were not put back: $(ip -n $s -d link show sa)"
}

says() { # PATTERN
	grep -qE -- "$1" "$out/log" || fail "expected: $1"
}

frames_from_a() { # COUNT
	ip netns exec $a python3 "$frames" send e0 "-/1000*$1"
}

# No permission: root's number without its capability, since only root enters a namespace.
if ip netns exec $s setpriv --bounding-set -net_raw --inh-caps -net_raw timeout 60 "$quench" run \
	"$scenario" --clock real --quiet --out "$out/none" >"$out/log" 2>&1; then
	fail "it ran without CAP_NET_RAW"
fi
says '^port s1:a: .*CAP_NET_RAW'
as_it_was
echo "ok: no permission"

# A lcore that does not exist.
if run --out "$out/none" --set ports.s1:a.lcore=99; then
	fail "it ran on lcore 99"
fi
says 'lcore 99'
as_it_was
echo "ok: a lcore that does not exist"

# Too few hugepages: those that are there must be enough or none is taken.
if run --out "$out/none" -- -m 1 --no-huge; then
	fail "it ran in 1 MB"
fi
says 'memory'
as_it_was
echo "ok: too little memory"

# A full disk under a capture.
mkdir "$out/full"
mount -t tmpfs -o size=400k none "$out/full" || skip "no tmpfs"
ip netns exec $s "$quench" run "$scenario" --clock real --quiet --out "$out/full/run" \
	--set ports.s1:a.capture=true --set duration=4s >"$out/log" 2>&1 &
pid=$!
for ((i = 0; i < 100; i++)); do
	"$quench" stats --instance "$pid" >/dev/null 2>&1 && break
	sleep 0.1
done
frames_from_a 2000
code=0
wait "$pid" || code=$?
pid=''
[ "$code" = 2 ] || fail "a full disk: quench ended with $code"
says 'capture.pcapng: incomplete: No space left on device; the run goes on$'
grep -q '"conserved": true' "$out/full/run/summary.json" || fail "not conserved"
as_it_was
umount "$out/full"
echo "ok: a full disk under a capture"

# A second instance of the same name.
begin --instance twice
if run --out "$out/none" --instance twice --set duration=100ms \
	--set 'ports.s1:a.device=net_null0,size=64' --set 'ports.s1:b.device=net_null1,size=64'; then
	fail "two runs have one name"
fi
says 'instance twice.* pid'
kill -INT "$pid"
ended 130
echo "ok: a second instance of the same name"
