#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# quench probe and quench run in front of a switch that is not ours: a bridge of the kernel, or Open
# vSwitch without its kernel module. It obeys no pause. Its losses, which tbf at one egress causes,
# are those of the kernel's captures to the frame, and latencies are those of their stamps. Needs
# root, ip, tc, ethtool, tcpdump and python3, and openvswitch-switch; else it says so and is skipped
# (77).
# usage: probe_bridge.sh QUENCH bridge|ovs
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
kind=${2:-bridge}
what="a $kind as device"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/../live/net.sh"
tries=3 # of the probe, whose map a busy machine makes doubtful
net_begin
for program in tc tcpdump; do
	command -v $program >/dev/null || skip "no $program (Debian: iproute2, tcpdump)"
done
ip netns add "$a"
inside() { ip netns exec "$s" "$@"; }

make_bridge() {
	ip -n "$s" link add br0 type bridge stp_state 0 mcast_snooping 0 2>/dev/null ||
		skip "this kernel has no bridges"
	inside sysctl -qw net.ipv6.conf.br0.disable_ipv6=1
	for k in 1 2 3 4; do
		ip -n "$s" link set d$k master br0
	done
	ip -n "$s" link set br0 up
}

make_ovs() {
	local db=$out/ovs.db sock=$out/ovs.sock
	export OVS_RUNDIR=$out OVS_LOGDIR=$out OVS_DBDIR=$out OVS_SYSCONFDIR=$out
	ovsdb-tool create "$db" /usr/share/openvswitch/vswitch.ovsschema
	ovsdb-server "$db" --remote="punix:$sock" --no-chdir >"$out/log" 2>&1 &
	await [ -S "$sock" ] || fail "ovsdb-server does not answer"
	ovs-vsctl --db="unix:$sock" --no-wait init
	ip netns exec "$s" ovs-vswitchd "unix:$sock" --no-chdir --unixctl="$out/ctl" \
		>"$out/log" 2>&1 &
	inside ovs-vsctl --db="unix:$sock" --timeout=60 add-br br0 -- set Bridge br0 \
		datapath_type=netdev -- add-port br0 d1 -- add-port br0 d2 -- add-port br0 d3 \
		-- add-port br0 d4 || fail "ovs-vsctl"
}

for k in 1 2 3 4; do
	join "$a" g$k d$k
	inside ethtool -K d$k tx off rx off tso off gso off gro off >/dev/null
	ip netns exec "$a" ethtool -K g$k tx off rx off tso off gso off gro off >/dev/null
done
if [ "$kind" = ovs ]; then
	for program in ovsdb-tool ovsdb-server ovs-vsctl ovs-vswitchd; do
		command -v $program >/dev/null || skip "no $program (Debian: openvswitch-switch)"
	done
	make_ovs
else
	make_bridge
fi

for scenario in probe_bridge flows_bridge; do
	{
		cat "tests/field/$scenario.yaml"
		echo 'ports:'
		for k in 1 2 3 4; do
			echo "  p$k:dut: {device: \"net_af_packet$k,iface=g$k,framecnt=8192\"," \
				"mtu: 1518}"
		done
	} >"$out/$scenario.yaml"
done

probe() {
	code=0
	ip netns exec "$a" "$quench" probe "$out/probe_bridge.yaml" --steps map --quiet --json \
		--allow-storm 10s --force --out "$out/probe" --instance "probe-$id" \
		>"$out/json" 2>"$out/log" || code=$?
	[ $code = 0 ] || [ $code = 3 ] || fail "quench probe ended with $code"
}

# No class obeys. 1: the machine was too busy to tell it of all.
obeys_nothing() {
	python3 - "$out/json" <<'END'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    found = json.load(f)
assert found["figures"]["forwards"]["value"] == "yes", found["figures"]["forwards"]
obeys = [c["obeys"] for c in found["classes"].values()]
print(*(o["value"] if o["state"] == "is" else o["state"] for o in obeys))
assert not [o for o in obeys if o["state"] == "is" and o["value"] != "nothing"], obeys
assert found["figures"]["transit_us"]["value"] >= 0
sys.exit(len([o for o in obeys if o["state"] == "is"]) < 8)
END
}

for ((i = 1; ; i++)); do
	probe
	code=0
	obeys_nothing || code=$?
	[ $code != 0 ] || break
	[ "$i" -lt $tries ] || fail "it is not known that the device obeys nothing"
done
echo "ok: a $kind obeys no class's PFC, and forwards"

# Frames that the kernel dropped behind d3.
dropped() {
	inside tc -s qdisc show dev d3 | sed -n 's/.*dropped \([0-9]*\),.*/\1/p' | head -1
}
inside tc qdisc add dev d3 root tbf rate 8mbit burst 1600 limit 20000 ||
	skip "this kernel has no tbf"
before=$(dropped)
# A capture of the frames that came to an interface.
capture() { # NAMESPACE INTERFACE
	ip netns exec "$1" tcpdump -i "$2" -Q in -U -s 100 -w "$out/$2.pcap" 'udp and greater 900' \
		2>"$out/$2.dump" &
	await grep -qs 'listening on' "$out/$2.dump" || fail "tcpdump does not listen"
}
capture "$s" d1
capture "$s" d2
capture "$a" g3
code=0
ip netns exec "$a" "$quench" run "$out/flows_bridge.yaml" --clock real --quiet --out "$out/run" \
	--instance "run-$id" >"$out/log" 2>&1 || code=$?
[ $code = 0 ] || fail "quench run ended with $code"
python3 tests/field/probe_bridge.py "$out" "$kind" "$(($(dropped) - before))" ||
	fail "losses or latency"
echo "ok: losses and latencies behind a $kind are those of the kernel's captures"
