#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A stranger floods a host behind a switch, over veth, as fast as a raw socket does, in thirteen
# ways one after the other. The host's own flow completes its messages, with no CNP, no NAK and no
# lossless frame lost. It sends nothing again, unless a loop stood longer than its timeout, as loops
# do on a busy machine. Everything is accounted for, and the process has as much memory after the
# last flood as after the first.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_flood.sh QUENCH FLOOD [MS]    MS of each flood, 300
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
flood=$(readlink -f "$2")
ms=${3:-300}
what="floods of strangers"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
net_begin
cable $a sa 10.1.1.3
mac=02:00:00:00:aa:01

ip netns exec $s "$quench" run tests/live/rt_flood.yaml --clock real --workers 1 \
	--duration $((ms * 20 + 30000))ms --out "$out/run" >"$out/log" 2>&1 &
pid=$!
# It runs once it answers ARP.
ip -n $a neigh flush dev e0
found() {
	ip netns exec $a python3 tests/live/echo.py echo 10.1.1.1 1 64 1 >/dev/null 2>&1 || true
	ip -n $a neigh show 10.1.1.1 | grep -q "$mac"
}
await found || fail "nobody answers ARP"

memory() {
	awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"
}
first=
for kind in cnp forged_cnp nak data pfc malformed mac arp nd ping mad hello tcp; do
	address=10.1.1.1 other=10.1.1.2
	[ $kind != nd ] || address=fd00::1 other=fd00::2
	n=$(ip netns exec $a "$flood" $kind e0 $mac $address $other 17 "$ms")
	[ "$n" -gt 0 ] || fail "$kind: nothing was sent"
	kill -0 $pid 2>/dev/null || fail "quench has ended in a flood of $kind"
	first=${first:-$(memory)}
	echo "$kind: $n frames, $(memory) KB"
done
last=$(memory)
[ "$last" -le $((first + 4096)) ] || fail "it has grown from $first to $last KB"
kill -INT $pid
code=0
wait $pid || code=$?
[ $code = 130 ] || fail "quench ended with $code" # by SIGINT
python3 - "$out/run/summary.json" <<'END' || fail "the flow was disturbed"
import json
import sys

with open(sys.argv[1]) as f:
    run = json.load(f)
data = next(f for f in run["flows"] if f["group"] == "data")
nic = next(n for n in run["nic_counters"] if n["node"] == "h")
timeout_us = 67000  # of the scenario's queue pairs
# A timeout sends again at most the four messages that are outstanding, of ten frames each.
timeouts = nic["local_ack_timeout_err"] if run["instrument"]["loop_gap_max_us"] > timeout_us else 0
ok = (run["verdicts"]["conserved"] and run["total"]["lossless_drops_total"] == 0
      and data["message_complete_rx"] > 100 and data["cnp_rx"] == 0 and data["nak_rx"] == 0
      and data["data_frames_retransmitted"] <= 40 * timeouts
      and nic["rx_wrong_peer"] > 0)
print("data:", data["message_complete_rx"], "messages; wrong peers:", nic["rx_wrong_peer"])
sys.exit(not ok)
END
grep -q '^  unanswered  h: ' "$out/log" || fail "nobody says who asked most"
echo "ok: thirteen floods, and the host's flow goes on"
