#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two hosts of ours with a Linux router between their networks, over veth and net_af_packet. Each
# finds its gateway by ARP or neighbour discovery. Messages, READs and open loop go through the
# router, and nothing is lost. Every frame comes from the router's hardware address, with a TTL that
# is one less and a right ICRC. A gateway that nobody has is named in one line for each queue pair.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_gateway.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="a router"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_gateway.yaml
net_begin
router=quench-r-$id
ip netns add "$router"

# A port of the router with both addresses; our host is at the other end.
router_port() { # OUR-INTERFACE ROUTER-INTERFACE ADDRESS4 ADDRESS6
	join "$router" "$2" "$1"
	ip netns exec "$s" ethtool -K "$1" tx off rx off tso off gso off gro off >/dev/null
	ip netns exec "$router" ethtool -K "$2" tx off rx off tso off gso off gro off >/dev/null
	ip netns exec "$router" sysctl -qw "net.ipv6.conf.$2.disable_ipv6=0"
	ip -n "$router" addr add "$3/24" dev "$2"
	ip -n "$router" addr add "$4/64" dev "$2" nodad
}
router_port sa e0 10.1.1.1 fd00:1::1
router_port sb e1 10.1.2.1 fd00:2::1
ip netns exec "$router" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
mac=$(ip -n "$router" -br link show e1 | grep -o '\(..:\)\{5\}..')

start() { # NAME OPTION...
	ip netns exec "$s" "$quench" run "$scenario" --clock real --workers 1 \
		--instance "rt-gateway-$id" --out "$out/$1" "${@:2}" >"$out/log" 2>&1 &
	pid=$!
}

ended() {
	local code=0
	wait "$pid" || code=$?
	pid=''
	[ $code = 0 ] || fail "quench ended with $code"
}

# All messages and frames of the open loop have come.
all_came() {
	"$quench" stats --instance "rt-gateway-$id" --json 'flow.*.message_complete_rx' \
		'source.*.rx_frames' 2>/dev/null | python3 -c 'import json, sys
came = json.loads(sys.stdin.readline() or "{}").get("metrics", {}).values()
sys.exit(sorted(came) != [100, 100, 100, 500])' 2>/dev/null
}

# Figures, and the frames that came to k by the router.
judge() { # NAME
	await all_came || true
	stop_run "rt-gateway-$id"
	ended
	"$quench" decode --json "$out/$1/capture.pcapng" >"$out/frames"
	python3 - "$out/$1/summary.json" "$out/frames" "$mac" <<'END' || fail "$1 is not right"
import json
import sys

with open(sys.argv[1]) as f:
    run = json.load(f)
with open(sys.argv[2]) as f:
    frames = [json.loads(line) for line in f]
wrong = []


def same(name, got, want):
    if got != want:
        wrong.append(f"{name} is {got}, not {want}")


same("conserved", run["verdicts"]["conserved"], True)
same("descriptors missing", run["verdicts"]["pool_missing"], 0)
same("flows", len(run["flows"]), 3)
for flow in run["flows"]:
    same(flow["flow_name"], flow["message_complete_rx"], 100)
    same(flow["flow_name"] + " resent", flow["data_frames_retransmitted"], 0)
source, = run["sources"]
for name, want in (("tx_frames", 500), ("rx_frames", 500), ("lost", 0)):
    same(name, source[name], want)
for nic in run["nic_counters"]:
    same(nic["node"] + " ICRC errors", nic["rx_icrc_errors"], 0)
came = [f for f in frames if f.get("src") in ("10.1.1.44", "fd00:1::44")]
if len(came) < 1000:  # 400 of WRITEs, 100 of READs, 500 of the open loop, and ACKs
    wrong.append(f"{len(came)} frames came by the router")
same("addresses", {f["src_mac"] for f in came}, {sys.argv[3]})
same("TTLs", {f["ttl"] for f in came}, {63})
roce = [f for f in came if "icrc" in f]
same("ICRCs", {f["icrc"] for f in roce}, {"ok"})
if wrong:
    print("\n".join(wrong))
sys.exit(bool(wrong))
END
	echo "ok: over $1 messages, READs and open loop go through a router"
}

start ipv4
judge ipv4
start ipv6 --set hosts.h.ip=fd00:1::44 --set hosts.h.gateway.ip=fd00:1::1 \
	--set hosts.k.ip=fd00:2::55 --set hosts.k.gateway.ip=fd00:2::1
judge ipv6

start nobody --set hosts.h.gateway.ip=10.1.1.2 --duration 7s
ended
says() { # LINES PATTERN
	[ "$(grep -cE -- "^  $2" "$out/log")" = "$1" ] || fail "expected $1 times: $2"
}
says 1 'QP failed   there.h>k.0.: peer not found'
says 1 'QP failed   read.k>h.0.: peer not found'
says 1 'not sent    probe.h>k.: nobody answers for the address of k'
echo "ok: a gateway that does not answer is named"
