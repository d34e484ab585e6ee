#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Real kernels find our hosts and ping them, by ARP and by neighbour discovery, at a port of the
# host's own and behind our switch, while a flow runs; the counters say so.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_answer.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="hosts that answer a kernel"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_answer.yaml
c=quench-c-$id
net_begin

cable "$a" sa 10.1.1.1
cable "$b" sb 10.1.1.3
cable "$c" sc 10.1.1.2
ip netns exec "$b" sysctl -qw net.ipv6.conf.e0.disable_ipv6=0
ip -n "$b" addr add fd01::1/64 dev e0 nodad

ip netns exec "$s" "$quench" run "$scenario" --clock real --out "$out/run" \
	>"$out/log" 2>&1 &
pid=$!

ping() { # NAMESPACE ADDRESS COUNT BYTES [SECONDS]
	ip netns exec "$1" python3 tests/live/ping.py "${@:2}"
}

# The kernel has found this address.
found() { # NAMESPACE ADDRESS MAC
	ip -n "$1" neigh show "$2" | grep -q "lladdr $3 " ||
		fail "$2 is not at $3: $(ip -n "$1" neigh show)"
}

# The kernel asks thrice, a second apart, so that the first answer may take a while.
await ping "$a" 10.1.1.44 1 56 5 2>/dev/null || fail "no answer to a ping"
ping "$a" 10.1.1.44 3 0 || fail "empty pings of h4"
ping "$a" 10.1.1.44 3 1472 || fail "full pings of h4"
found "$a" 10.1.1.44 02:00:00:00:00:44
ping "$b" fd01::66 3 56 || fail "pings of h6"
ping "$b" fd01::66 3 1452 || fail "full pings of h6"
found "$b" fd01::66 02:00:00:00:00:66
ping "$c" 10.1.1.77 3 56 || fail "pings of h7, behind the switch"
found "$c" 10.1.1.77 02:00:00:00:00:77
echo "ok: hosts are found by ARP and neighbour discovery, and answer pings of any length"

# The kernel numbers the datagrams of a socket that has a peer, by their identification.
udp() { # NAMESPACE ADDRESS PORT COUNT BYTES
	ip netns exec "$1" python3 tests/live/udp.py "$2" "$3" "$4" "$5"
}
udp "$a" 10.1.1.44 9000 500 100
udp "$a" 10.1.1.44 9001 50 100 # a stream of its own
udp "$c" 10.1.1.77 9000 20 100 # h7 takes none

# The kernel's interface gets another hardware address, and asks from there.
ip -n "$a" link set e0 address 02:00:00:00:aa:01
ip -n "$a" neigh flush dev e0
ping "$a" 10.1.1.44 3 56 || fail "pings of a kernel that has moved"

# Nobody has this address, and a datagram in pieces is not answered: net_af_packet has the kernel
# put the pieces together, and the host takes no frame beyond its MTU.
ping "$a" 10.1.1.45 1 56 5 2>/dev/null &
nobody=$!
ping "$a" 10.1.1.44 1 3000 5 2>/dev/null && fail "fragments were answered"
wait "$nobody" && fail "an address that nobody has was answered"

kill -INT "$pid"
code=0
wait "$pid" || code=$?
pid=''
[ "$code" = 130 ] || fail "quench ended with $code"
grep -q '"conserved": true' "$out/run/summary.json" || fail "not conserved"
grep -q '"pool_missing": 0' "$out/run/summary.json" || fail "descriptors are missing"
grep -q '^  address     h4: 10.1.1.1 has moved from .* to 02:00:00:00:aa:01 at ' "$out/log" ||
	fail "the table says nothing of the kernel that has moved"
python3 - "$out/run/summary.json" <<'END' || fail "the counters are others"
import json
import sys

summary = json.load(open(sys.argv[1]))
nic = {n["node"]: n for n in summary["nic_counters"]}
wrong = []


def expect(host, **least):
    for name, value in least.items():
        if nic[host][name] < value:
            wrong.append(f"{host}: {name} is {nic[host][name]}, not {value} or more")


def same(host, one, other):
    if nic[host][one] != nic[host][other]:
        wrong.append(f"{host}: {one} {nic[host][one]} is not {other} {nic[host][other]}")


expect("h4", arp_rx=2, arp_reply=1, ping_rx=7, drop_too_long=1)
expect("h6", nd_rx=1, nd_reply=1, ping_rx=6)
expect("h7", arp_rx=1, arp_reply=1, ping_rx=3)
expect("h8", arp_rx=1)
for host in "h4", "h6", "h7", "h8":
    same(host, "ping_rx", "ping_reply")
    for name in "drop_bad_request", "drop_no_answer", "address_conflicts":
        if nic[host][name]:
            wrong.append(f"{host}: {name} is {nic[host][name]}")
if [nic[h]["neigh_moved"] for h in ("h4", "h6", "h7")] != [1, 0, 0]:
    wrong.append("not the one kernel has moved that has")
streams = [(s["host"], s["source"], s["destination_port"], s["numbers"], s["rx_frames"],
            s["lost"], s["out_of_order"], s["duplicates"]) for s in summary["streams"]]
if streams != [("h4", "10.1.1.1", 9000, "ip_id", 500, 0, 0, 0),
               ("h4", "10.1.1.1", 9001, "ip_id", 50, 0, 0, 0)]:
    wrong.append(f"streams are {streams}")
if nic["h7"]["drop_unknown"] < 20:
    wrong.append(f"h7 has dropped {nic['h7']['drop_unknown']} of a stream, not 20")
if nic["h8"]["arp_reply"] or nic["h8"]["ping_rx"]:
    wrong.append("h8 answers for h7")
print("\n".join(wrong))
sys.exit(bool(wrong))
END
echo "ok: the counters say so, and all frames are accounted for"
