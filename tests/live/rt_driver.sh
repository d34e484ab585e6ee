#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two kernels talk through the switch, one of them over another driver than net_af_packet: a run
# ends with every mbuf accounted for, also after a burst that the switch cannot take.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_driver.sh QUENCH net_af_xdp|net_tap
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
driver=${2:-net_af_xdp}
what="$driver"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_veth.yaml
[ "$driver" != net_tap ] || [ -c /dev/net/tun ] || skip "no /dev/net/tun"
net_begin
ip netns add $b

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

answered() {
	[ "$driver" != net_tap ] || ip -n $a addr replace 10.1.1.1/24 dev ta 2>/dev/null || true
	ip netns exec $a python3 tests/live/echo.py echo 10.1.1.2 1 64 1 >/dev/null 2>&1
}

answers() {
	await answered || fail "no answer through the switch"
}

run --set duration=100ms
ended 0
echo "ok: a run without a frame"

if [ "$driver" = net_af_xdp ]; then
	run --set duration=100ms --set ports.s1:a.mtu=2018
	ended 0
	[ "$(ip netns exec $s cat /sys/class/net/sa/mtu)" = 1500 ] ||
		fail "the MTU that was raised is not put back"
	echo "ok: the MTU is as it was"
fi

run --set ports.s1:a.mtu=auto --set ports.s1:b.mtu=auto
ip netns exec $b python3 tests/live/echo.py serve 10.1.1.2 "$out/received" &
server=$!
answers
if [ "$driver" = net_tap ]; then # a driver without a signal asks the kernel in each loop
	tun=$(find "/proc/$pid/fd" -lname /dev/net/tun -printf '%f\n')
	# shellcheck disable=SC2086 # descriptors, a word each
	(cd "/proc/$pid/fdinfo" && grep -q '^flags:.*2[0-7]\{4\}$' $tun) ||
		fail "net_tap has no signal that tells it of frames"
fi
ip netns exec $a python3 tests/live/echo.py echo 10.1.1.2 100 1472 || fail "an echo is missing"
if [ "$driver" = net_tap ]; then
	from=("$s" ta)
else
	from=("$a" e0)
fi
same_frames "${from[@]}" -/60 -/1514 q/60 q/1514 a/60 a/1510 aq/60 qq/60 qa/60 aq/1506
echo "ok: 802.1Q and 802.1ad tags as they came"
ip netns exec $a python3 tests/live/echo.py blast 10.1.1.2 50000 1000
kill -INT "$pid"
ended 130
echo "ok: echoes, and a burst while the run ends"

run "${cut[@]}"
answers
ip netns exec $a python3 tests/live/echo.py echo 10.1.1.2 100 1472 || fail "an echo is missing"
ip netns exec $a python3 tests/live/echo.py blast 10.1.1.2 50000 1000
kill -INT "$pid"
ended 130
lost_nothing
echo "ok: the same with a switch cut into two shards"
