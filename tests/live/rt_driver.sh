#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two kernels talk through the switch, one of them over another driver than net_af_packet: a run
# ends with every mbuf accounted for, also after a burst that the switch cannot take.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_driver.sh QUENCH net_af_xdp|net_tap
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
driver=${2:-net_af_xdp}
cd "$(dirname "$0")/../.."
scenario=$PWD/tests/live/rt_veth.yaml
id=$$
s=quench-s-$id a=quench-a-$id b=quench-b-$id
out=$(mktemp -d)
pid='' server=''

skip() {
	echo "SKIPPED: $1: $driver is NOT tested"
	exit 77
}

fail() {
	echo "FAILED: $1"
	[ -f "$out/log" ] && cat "$out/log"
	exit 1
}

cleanup() {
	for p in $pid $server; do
		kill -KILL "$p" 2>/dev/null || true
		wait "$p" 2>/dev/null || true
	done
	for ns in $s $a $b; do
		ip netns del "$ns" 2>/dev/null || true
	done
	rm -rf "$out"
}

[ "$(id -u)" = 0 ] || skip "not root"
command -v ip >/dev/null || skip "no ip (Debian: iproute2)"
command -v ethtool >/dev/null || skip "no ethtool (Debian: ethtool)"
[ "$driver" != net_tap ] || [ -c /dev/net/tun ] || skip "no /dev/net/tun"
ip netns add $s 2>/dev/null || skip "no network namespaces here"
trap cleanup EXIT
ip netns exec $s true 2>/dev/null || skip "no program may run in a network namespace here"
ip netns add $b

# The switch's end $2 in $s, the kernel's end e0 in namespace $1.
cable() { # NAMESPACE INTERFACE ADDRESS
	ip link add "$2" netns $s type veth peer name e0 netns "$1"
	ip netns exec $s sysctl -qw "net.ipv6.conf.$2.disable_ipv6=1"
	ip netns exec "$1" sysctl -qw net.ipv6.conf.e0.disable_ipv6=1
	ip netns exec $s ethtool -K "$2" tx off rx off tso off gso off gro off >/dev/null
	ip netns exec "$1" ethtool -K e0 tx off rx off tso off gso off gro off >/dev/null
	ip -n "$1" addr add "$3/24" dev e0
	ip -n "$1" link set e0 up
	ip -n $s link set "$2" up
}

cable $b sb 10.1.1.2
if [ "$driver" = net_tap ]; then # its interface is a kernel's own end: that of $s is host a
	a=$s
	device=(--set ports.s1:a.device=net_tap0,iface=ta)
else
	ip netns add $a
	cable $a sa 10.1.1.1
	device=(--set "ports.s1:a.device=${driver}0,iface=sa"
		--set "ports.s1:b.device=${driver}1,iface=sb")
fi

run() { # OPTION...
	rm -rf "$out/run"
	ip netns exec $s "$quench" run "$scenario" --clock real --quiet --out "$out/run" \
		"${device[@]}" "$@" >"$out/log" 2>&1 &
	pid=$!
}

# The run's end, with exit code $1 and everything accounted for.
ended() { # CODE
	local code=0
	wait "$pid" || code=$?
	pid=''
	[ "$code" = "$1" ] || fail "quench ended with $code"
	grep -q '"conserved": true' "$out/run/summary.json" || fail "not conserved"
	grep -q '"pool_missing": 0' "$out/run/summary.json" || fail "descriptors are missing"
}

answers() {
	for ((i = 0; i < 40; i++)); do
		[ "$driver" != net_tap ] ||
			ip -n $a addr replace 10.1.1.1/24 dev ta 2>/dev/null || true
		if ip netns exec $a python3 tests/live/echo.py echo 10.1.1.2 1 64 >/dev/null 2>&1; \
			then
			return 0
		fi
		kill -0 "$pid" 2>/dev/null || fail "quench ended at once"
		sleep 0.1
	done
	fail "no answer through the switch"
}

run --set duration=100ms
ended 0
echo "ok: a run without a frame"

run
ip netns exec $b python3 tests/live/echo.py serve 10.1.1.2 "$out/received" &
server=$!
answers
ip netns exec $a python3 tests/live/echo.py echo 10.1.1.2 100 1472 || fail "an echo is missing"
ip netns exec $a python3 tests/live/echo.py blast 10.1.1.2 50000 1000
kill -INT "$pid"
ended 130
echo "ok: echoes, and a burst while the run ends"
