#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The self-test of two ports that a veth joins, in a namespace of its own: PFC frames arrive both
# ways; with one end down, or where the kernel sends by an interface, too, that is said.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_ports.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="the self-test over veth"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
log=$out/log
net_begin
ip netns exec $s sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip -n $s link add va type veth peer name vb
ip -n $s link set va up
ip -n $s link set vb up

# The kernel's speed of a veth is a constant: the list leaves it out.
list=$(ip netns exec $s "$quench" ports)
for end in va vb; do
	grep -qE "^$end +veth +up +- +- +net_af_packet[0-9]+,iface=$end$" <<<"$list" ||
		fail "the list has no $end without a speed: $list"
done
ip netns exec $s "$quench" ports --json >"$log"
[ "$(grep -cE '"v[ab]", "driver": "veth", "state": "up", "speed": "-"' "$log")" = 2 ] ||
	fail "the JSON has a speed"

# An interface is named as a device is, with devices or alone, and has a number that is free.
ip netns exec $s "$quench" ports --no-huge va >"$log" 2>&1 || fail "va: status $?"
grep -q '^va$' "$log" && grep -q 'device net_af_packet0,iface=va$' "$log" ||
	fail "va is no device"
ip netns exec $s "$quench" ports --no-huge vb net_af_packet0,iface=va >"$log" 2>&1 ||
	fail "vb: status $?"
grep -q '^vb$' "$log" && grep -q 'device net_af_packet1,iface=vb$' "$log" ||
	fail "vb is no device"
status=0
ip netns exec $s "$quench" ports --no-huge va vc >"$log" 2>&1 || status=$?
[ $status = 2 ] && grep -q "'vc' is no device .* and no interface here" "$log" ||
	fail "vc: status $status"

ports() {
	ip netns exec $s "$quench" ports --no-huge --selftest peer \
		net_af_packet0,iface=va net_af_packet1,iface=vb >"$log" 2>&1 || fail "status $?"
}

ports
for end in 0,iface=va 1,iface=vb; do
	grep -q "ok  *a PFC frame of net_af_packet$end arrives" "$log" || fail "no PFC of $end"
	grep -q "ok  *a frame of net_af_packet$end to another address arrives" "$log" ||
		fail "no foreign frame of $end"
done
[ "$(grep -c 'MAC under XOFF  *ok' "$log")" = 2 ] || fail "the MAC stops"

# A kernel with IPv6 sends by itself.
[ "$(grep -c "kernel's frames  *ok  *none by IPv6" "$log")" = 2 ] || fail "IPv6 is said to be on"
ip netns exec $s sysctl -qw net.ipv6.conf.va.disable_ipv6=0
ports
grep -q "kernel's frames  *note  *the kernel sends some by va itself, which has IPv6" "$log" ||
	fail "nobody says that the kernel sends by va"
grep -q 'echo 1 >/proc/sys/net/ipv6/conf/va/disable_ipv6' "$log" || fail "nobody says what helps"
ip netns exec $s sysctl -qw net.ipv6.conf.va.disable_ipv6=1

# The user's setting stays.
ip -n $s link set va promisc on
ports
ip -n $s link show va | grep -q PROMISC || fail "va is promiscuous no more"
ip -n $s -d link show vb | grep -q 'promiscuity 0 ' || fail "vb is promiscuous still"
ip -n $s link set va promisc off

ip -n $s link set vb down
ports
[ "$(grep -c 'PFC frames  *warning  *no frame comes' "$log")" = 2 ] || fail "nothing is said"
[ "$(grep -c '^  link  *warning  *no link: interface v[ab] ' "$log")" = 2 ] ||
	fail "the links are said to be up"
grep -q '^  link  *warning  *no link: interface vb is down: ip link set dev vb up' "$log" ||
	fail "nobody says which interface is down"
