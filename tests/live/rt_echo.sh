#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Echoes on the real clock against kernels, over veth and net_af_packet. A kernel's UDP socket sends
# our open loop back, and its round trips are timed; our host sends a kernel's datagrams back, each
# unchanged.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_echo.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="an echo"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_echo.yaml
net_begin

cable "$a" sa 10.1.1.1
cable "$b" sb 10.1.1.3
ip netns exec "$a" python3 tests/live/echo.py mirror 10.1.1.1 7 &
server=$!
listens() {
	ip netns exec "$a" ss -Hlun 'sport = 7' | grep -q .
}
await listens || fail "nobody listens at port 7"

ip netns exec "$s" "$quench" run "$scenario" --clock real --workers 1 --instance "rt-echo-$id" \
	--out "$out/run" >"$out/log" 2>&1 &
pid=$!

udp() { # COMMAND ARGUMENT...
	ip netns exec "$b" python3 tests/live/echo.py "$@"
}

# The kernel finds our host by ARP. The first answer may take a while.
await udp echo 10.1.1.55 1 100 1 >/dev/null || fail "no answer of our host"
udp echo 10.1.1.55 300 100 || fail "short datagrams do not come back as they were"
udp echo 10.1.1.55 300 1400 || fail "long datagrams do not come back as they were"
echo "ok: our host sends a kernel's datagrams back"

# All of the open loop has come back, or the time is over.
all_back() {
	"$quench" stats --instance "rt-echo-$id" 'source.probe[h>k].echo_rx_frames' 2>/dev/null |
		grep -qw '1000$'
}
await all_back || true
kill -INT "$pid"
code=0
wait "$pid" || code=$?
pid=''
[ "$code" = 130 ] || fail "quench ended with $code"
kill "$server"
wait "$server" || true
server=''
python3 - "$out/run/summary.json" <<'END' || fail "the figures are others"
import json
import sys

summary = json.load(open(sys.argv[1]))
source, = summary["sources"]
nic = {n["node"]: n for n in summary["nic_counters"]}
wrong = []


def same(name, got, want):
    if got != want:
        wrong.append(f"{name} is {got}, not {want}")


same("conserved", summary["verdicts"]["conserved"], True)
same("descriptors missing", summary["verdicts"]["pool_missing"], 0)
same("sent", source["tx_frames"], 1000)
for name, want in (("rx_frames", 1000), ("lost", 0), ("out_of_order", 0), ("duplicates", 0),
                   ("in_flight", 0), ("late", 0)):
    same(f"echo_{name}", source[f"echo_{name}"], want)
same("of h that came back", nic["h"]["echo_rx"], 1000)
quantiles = [source[f"rtt_{q}_us"] for q in ("min", "p50", "p90", "p99", "p999", "max")]
same("quantiles in order", quantiles, sorted(quantiles))
if not quantiles[0] > 2:
    wrong.append(f"a round trip of {quantiles[0]} us is shorter than its cables")
print("round trip, us: min {}, p50 {}, p90 {}, p99 {}, p99.9 {}, max {}".format(*quantiles))
if nic["e"]["echo_tx"] < 601:
    wrong.append(f"e has sent back {nic['e']['echo_tx']}, not 601 or more")
# An answer that came too late for its sender's socket makes the kernel send an ICMP message.
datagrams = sum(t["rx_frames"] for t in summary["streams"] if t["protocol"] == "udp")
if not nic["e"]["streams_forgotten"]:  # their rows are gone
    same("datagrams that e sent back", nic["e"]["echo_tx"], datagrams)
for name in "drop_echo_full", "drop_no_echo", "drop_unknown":
    same(f"{name} of e", nic["e"][name], 0)
print("\n".join(wrong))
sys.exit(bool(wrong))
END
echo "ok: a kernel sends our open loop back, and each frame's round trip is known"
