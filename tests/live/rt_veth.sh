#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two kernels talk through the switch on net_af_packet over veth, in namespaces of their own.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_veth.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="net_af_packet over veth"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_veth.yaml
net_begin

mtu() { # BYTES
	for end in "$s sa" "$s sb" "$a e0" "$b e0"; do
		# shellcheck disable=SC2086
		ip -n ${end% *} link set ${end#* } mtu "$1"
	done
}

start() { # OPTION...
	rm -rf "$out/run"
	ip netns exec $s "$quench" run "$scenario" --clock real --quiet --out "$out/run" "$@" \
		>"$out/log" 2>&1 &
	pid=$!
	ip netns exec $b python3 tests/live/echo.py serve 10.1.1.2 "$out/received" &
	server=$!
	await ip netns exec $a python3 tests/live/echo.py echo 10.1.1.2 1 64 1 >/dev/null 2>&1 ||
		fail "no answer through the switch"
}

stop() {
	local code=0
	kill -INT "$pid"
	wait "$pid" || code=$?
	pid=''
	[ "$code" = 130 ] || fail "quench ended with $code"
	grep -q '"conserved": true' "$out/run/summary.json" || fail "not conserved"
	grep -q '"pool_missing": 0' "$out/run/summary.json" || fail "descriptors are missing"
}

echoes() { # COUNT BYTES
	ip netns exec $a python3 tests/live/echo.py echo 10.1.1.2 "$1" "$2" ||
		fail "an echo is missing"
}

# Two megabytes over TCP, compared.
stream() {
	head -c 2000000 /dev/urandom >"$out/sent"
	ip netns exec $a python3 tests/live/echo.py stream 10.1.1.2 "$out/sent" ||
		fail "TCP does not connect"
	wait "$server" || fail "TCP breaks off"
	server=''
	cmp "$out/sent" "$out/received" || fail "TCP brings other bytes"
}

cable $a sa 10.1.1.1
cable $b sb 10.1.1.2

start
echoes 100 18
echoes 100 1472
stream
stop
echo "ok: UDP and TCP through the switch, MTU 1500"

start --set ports.s1:a.mtu=auto --set ports.s1:b.mtu=auto
same_frames $a e0 -/60 -/1514 q/60 q/1514 qq/60 qq/1510
kill "$server" && wait "$server" || server=''
stop
grep -q "TCP and UDP frames" "$out/log" && fail "right checksums are said to be wrong"
echo "ok: 802.1Q tags as they came, a full frame with one too"

start
kill "$server" && wait "$server" || server=''
ip netns exec $a ethtool -K e0 tx on >/dev/null
ip netns exec $a python3 tests/live/echo.py blast 10.1.1.2 100 100
ip netns exec $a python3 tests/live/frames.py send e0 a/60*10
stop
ip netns exec $a ethtool -K e0 tx off >/dev/null
grep -q "^port s1:a: .* from sa have a wrong checksum.*ethtool -K INTERFACE tx off" "$out/log" ||
	fail "nothing is said of checksums"
grep -q "^port s1:a: .*802.1ad tag come from sa.*802.1Q tag instead" "$out/log" ||
	fail "nothing is said of tags"
[ "$(grep -c ^port "$out/log")" = 2 ] || fail "something is said twice"
echo "ok: checksums that are left to a NIC, and tags that the driver changes, are said once"

refused() { # WORD OPTION...
	local word=$1
	shift
	if ip netns exec $s timeout 300 "$quench" run "$scenario" --clock real --quiet \
		--out "$out/bad" "$@" >"$out/log" 2>&1; then
		fail "it ran: $*"
	fi
	grep -q "$word" "$out/log" || fail "expected: $word"
}

refused 'framesz=16384,blocksz=16384' --set ports.s1:a.mtu=9018
big=framesz=16384,blocksz=16384
refused 'ip link set dev sa mtu 9000' --set ports.s1:a.mtu=9018 \
	--set "ports.s1:a.device=net_af_packet0,iface=sa,$big"
refused 'nosuch' --set 'ports.s1:a.device=net_af_packet0,iface=nosuch'
echo "ok: an MTU that does not fit is refused with what would make it fit"

# Frames of class 3, which is lossless: fewer than make XOFF due, which a kernel would not heed, and
# than the ring of the device keeps. All of them come.
lossless() { # COUNT
	local before
	before=$(ip netns exec $b cat /sys/class/net/e0/statistics/rx_packets)
	ip netns exec $a python3 tests/live/echo.py pace 10.1.1.2 "$1" 1400 96
	await came $((before + $1)) || fail "frames of a lossless class are missing"
}

came() { # COUNT: so many frames have come to b
	[ "$(ip netns exec $b cat /sys/class/net/e0/statistics/rx_packets)" -ge "$1" ]
}

start "${cut[@]}"
echoes 100 18
echoes 100 1472
lossless 200
stream
stop
lost_nothing
echo "ok: a switch cut into two shards"

mtu 9000
start --set ports.s1:a.mtu=9018 --set "ports.s1:a.device=net_af_packet0,iface=sa,$big" \
	--set ports.s1:b.mtu=9018 --set "ports.s1:b.device=net_af_packet1,iface=sb,$big"
echoes 50 8972
stream
stop
echo "ok: MTU 9000"
