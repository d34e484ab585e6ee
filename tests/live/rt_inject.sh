#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Faults between two hosts of ours over a veth cable: a frame is dropped, copied and delayed where
# it comes in by a real port. The counts are exact, and the capture says what became of the frame.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_inject.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="faults at real ports"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
net_begin
ip link add sa netns "$s" type veth peer name sb netns "$s"
for end in sa sb; do
	ip netns exec "$s" sysctl -qw "net.ipv6.conf.$end.disable_ipv6=1"
	ip netns exec "$s" ethtool -K $end tx off rx off tso off gso off gro off >/dev/null
	ip -n "$s" link set $end up
done

code=0
ip netns exec "$s" timeout 100 "$quench" run tests/live/rt_inject.yaml --clock real --workers 1 \
	--out "$out/run" >"$out/log" 2>&1 || code=$?
[ $code = 0 ] || fail "quench ended with $code"
python3 - "$out/run/summary.json" <<'END' || fail "the counts are others"
import json
import sys

with open(sys.argv[1]) as f:
    run = json.load(f)
wrong = []


def same(what, value, want):
    if value != want:
        wrong.append(f"{what} is {value}, not {want}")


total, faults = run["total"], {f["number"]: f for f in run["faults"]}
same("conserved", run["verdicts"]["conserved"], True)
same("pool_missing", run["verdicts"]["pool_missing"], 0)
lost = sum(d["lost_rx"] + d["lost_tx"] for d in run["devices"])
if lost or run["instrument"]["timing_broken"]:
    print(f"counts are not judged: {lost} frames lost by devices, or the timing broken")
    sys.exit(bool(wrong))
for number, want in (1, 1), (2, 1), (3, 1), (4, 0):
    same(f"matched by fault {number}", faults[number]["matched_total"], want)
    same(f"missed by fault {number}", faults[number]["missed_total"], 0)
same("fault_drops_total", total["fault_drops_total"], 1)
same("fault_copies_total", total["fault_copies_total"], 1)
same("timeouts", total["timeouts"], 0)
same("messages", total["messages"], 4)
print("\n".join(wrong) or "ok: each fault hits its frame")
sys.exit(bool(wrong))
END
echo "ok: all frames are accounted for"

[ "$(grep -c ',fault,h2:h1,.*,1 drop data,' "$out/run/events.csv")" = 1 ] ||
	fail "no event of the drop"
[ "$(grep -ao 'dropped here by fault 1' "$out/run/capture.pcapng" | wc -l)" = 1 ] ||
	fail "the capture does not say which frame was dropped"
echo "ok: events and the capture tell it"

# A fault that comes while the run goes on, beside those of the scenario.
name=inject-$id
rm -rf "$out/run"
ip netns exec "$s" "$quench" run tests/live/rt_inject.yaml --clock real --workers 1 --quiet \
	--set flows.f.count=1000000 --duration 60s --instance "$name" --out "$out/run" \
	>"$out/log" 2>&1 &
pid=$!
until_hit() { # FAULT
	for ((i = 0; i < 300; i++)); do
		"$quench" stats --instance "$name" --json "fault.$1.*" \
			2>/dev/null >"$out/figures" || :
		! grep -qE "\"fault.$1.matched_total\": *[1-9]" "$out/figures" || return 0
		kill -0 "$pid" 2>/dev/null || fail "quench ended before fault $1 has hit"
		sleep 0.1
	done
	fail "fault $1 does not hit: $(cat "$out/figures")"
}
until_hit 3
"$quench" do --instance "$name" 'fault: {flow: f, psn: every 50, at: "h2:h1", do: drop}' \
	>"$out/answer" || fail "quench do: $(cat "$out/answer")"
until_hit 5
"$quench" do --instance "$name" 'fault: {flow: f, dir: ack, share: 10%, at: "h1:h2", do: ecn}' \
	>"$out/answer" || fail "quench do: $(cat "$out/answer")"
until_hit 6
kill -INT "$pid"
wait "$pid" || true
pid=''
python3 - "$out/run/summary.json" <<'END' || fail "not all is accounted for"
import json
import sys

with open(sys.argv[1]) as f:
    run = json.load(f)
hits = {f["number"]: f["matched_total"] for f in run["faults"]}
print(f"hits by number of the fault: {hits}")
whole = run["verdicts"]["conserved"] and run["verdicts"]["pool_missing"] == 0
sys.exit(not (whole and len(hits) == 6 and hits[1] == 1))
END
echo "ok: faults come while the run goes on"
