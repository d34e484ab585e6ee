#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The self-test of two ports that a veth joins, in a namespace of its own: PFC frames arrive both
# ways; with one end down that is said.
# Needs root and ip; else it says so and is skipped (77).
# usage: rt_ports.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
ns=quench-p-$$
log=$(mktemp)

skip() {
	echo "SKIPPED: $1: the self-test over veth is NOT tested"
	exit 77
}

fail() {
	echo "FAILED: $1"
	cat "$log"
	exit 1
}

cleanup() {
	ip netns del $ns 2>/dev/null || true
	rm -f "$log"
}

trap cleanup EXIT
[ "$(id -u)" = 0 ] || skip "not root"
command -v ip >/dev/null || skip "no ip (Debian: iproute2)"
ip netns add $ns 2>/dev/null || skip "no network namespaces here"
ip netns exec $ns true 2>/dev/null || skip "no program may run in a network namespace here"
ip netns exec $ns sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip -n $ns link add va type veth peer name vb
ip -n $ns link set va up
ip -n $ns link set vb up

ports() {
	ip netns exec $ns "$quench" ports --no-huge --selftest peer \
		net_af_packet0,iface=va net_af_packet1,iface=vb >"$log" 2>&1 || fail "status $?"
}

ports
for end in 0,iface=va 1,iface=vb; do
	grep -q "ok  *a PFC frame of net_af_packet$end arrives" "$log" || fail "no PFC of $end"
	grep -q "ok  *a frame of net_af_packet$end to another address arrives" "$log" ||
		fail "no foreign frame of $end"
done
[ "$(grep -c 'MAC under XOFF  *ok' "$log")" = 2 ] || fail "the MAC stops"
ip -n $ns link set vb down
ports
[ "$(grep -c 'PFC frames  *warning  *no frame comes' "$log")" = 2 ] || fail "nothing is said"
