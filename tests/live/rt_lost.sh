#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A kernel sends 200,000 frames as fast as it can to a switch that cannot take them all. The frames
# sent are the frames that the switch received and the frames that the summary names as lost, to the
# frame.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_lost.sh QUENCH net_af_packet|net_af_xdp
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
driver=${2:-net_af_packet}
what="what $driver loses"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_veth.yaml
frames=200000
net_begin
cable $a sa 10.1.1.1
cable $b sb 10.1.1.2
ip -n $a neigh add 10.1.1.2 lladdr 02:00:00:00:00:02 dev e0 nud permanent

# The frames that the kernel of host a has sent. At net_af_packet's interface a frame that found no
# room behind the cable counts as dropped at both ends.
sent() {
	local n
	n=$(ip netns exec $a cat /sys/class/net/e0/statistics/tx_packets)
	[ "$driver" = net_af_xdp ] ||
		n=$((n + $(ip netns exec $a cat /sys/class/net/e0/statistics/tx_dropped)))
	echo "$n"
}

# Starts a run, and waits until its loops turn; nobody sends a frame before that.
run() { # OPTION...
	rm -rf "$out/run"
	before=$(sent)
	ip netns exec $s "$quench" run "$scenario" --clock real --out "$out/run" \
		--instance "lost-$id" --set "ports.s1:a.device=${driver}0,iface=sa" \
		--set "ports.s1:b.device=${driver}1,iface=sb" "$@" >"$out/log" 2>&1 &
	pid=$!
	await turns || fail "it does not say how it goes"
}

turns() {
	"$quench" stats --instance "lost-$id" total.drops >/dev/null 2>&1
}

# The run ends by itself or by a signal, with exit code $1; then its sums are held against what the
# kernel sent.
ended() { # CODE
	local code=0 after
	wait "$pid" || code=$?
	pid=''
	after=$(sent)
	[ "$code" = "$1" ] || fail "quench ended with $code instead of $1"
	python3 - "$out/run/summary.json" "$((after - before))" <<'END' || fail "the sums differ"
import json
import sys

with open(sys.argv[1]) as f:
    run = json.load(f)
sent = int(sys.argv[2])
a = next(d for d in run["devices"] if d["port"] == "s1:a")
reasons = ("ring_full", "no_descriptor", "no_buffer", "unfit", "rx_errors", "interface_dropped",
           "interface_errors", "interface_missed")
known = a["rx_frames"] + sum(a[r] for r in reasons) + a["unread"]
print(f"sent {sent}, came {a['came']}, received {a['rx_frames']}, lost {a['lost_rx']}, "
      f"unread {a['unread']}")
assert a["lost_rx"] == sum(a[r] for r in reasons)
assert a["came"] == sent, "what came is not what the kernel sent"
assert known == sent, "received, lost and unread are not what the kernel sent"
rows = [r for r in run["reconciliation"] if r["counter"].startswith("device_")]
assert rows and all(r["verdict"] == "PASS" for r in rows), rows
assert run["verdicts"]["conserved"]
lost = a["lost_rx"] > 0
assert run["verdicts"]["lossless"] == (not lost)
verdict = {c["name"]: c["verdict"] for c in run["verdicts"]["criteria"]}
assert verdict["lossless_lost"] == ("INVALID" if lost else "PASS"), verdict
sys.exit(0)
END
}

blast() {
	ip netns exec $a python3 tests/live/echo.py blast 10.1.1.2 $frames 1000
}

run
blast
kill -INT "$pid"
ended 130
echo "ok: as fast as the kernel sends, and a signal"

# A loop that stands still loses for certain what no ring has room for.
run --strict
kill -STOP "$pid"
blast
kill -CONT "$pid"
stop_run "lost-$id"
ended 3
grep -q "LOST  *[0-9]* frames before s1:a, by $driver on sa: ring_full" "$out/log" ||
	fail "no line of the loss"
grep -q 'every frame that came to a node is accounted for' "$out/log" || fail "conserved"
grep -q 'NOT JUDGED  lossless' "$out/log" || fail "no word about lossless classes"
! grep -q 'no frame of a lossless class was dropped' "$out/log" || fail "lossless all the same"
echo "ok: a loop that stands still"

# A process of real-time priority on the worker's processor leaves it 5 % of the time.
cpu=$(taskset -pc $$ | sed 's/.*[:,-] *//')
if chrt -f 1 true 2>/dev/null; then
	run --strict
	chrt -f 1 taskset -c "$cpu" bash -c 'while [ $SECONDS -lt 2 ]; do :; done' &
	busy=$!
	blast
	wait "$busy"
	stop_run "lost-$id"
	ended 3
	grep -q '^TIMING BROKEN: ' "$out/log" || fail "the timing is said to have held"
	echo "ok: a loop that another process starves"
else
	echo "SKIPPED: no real-time priority here: a starved loop is NOT tested"
fi

# Frames lost before their interface was removed are in the results all the same.
run
kill -STOP "$pid"
blast
ip -n $s link del sa
kill -CONT "$pid"
until grep -q 'port s1:a: its device is gone for good' "$out/log"; do
	kill -0 "$pid" 2>/dev/null || fail "the removal is not said"
	sleep 0.05
done
kill -INT "$pid"
code=0
wait "$pid" || code=$?
pid=''
[ "$code" = 130 ] || fail "quench ended with $code"
grep -q '"device_gone": "port s1:a has had none since' "$out/run/summary.json" ||
	fail "the removal is not in the results"
grep -q "LOST  *[0-9]* frames before s1:a, by $driver on sa: .*ring_full" "$out/log" ||
	fail "the loss went with the interface"
cable $a sa 10.1.1.1
ip -n $a neigh add 10.1.1.2 lladdr 02:00:00:00:00:02 dev e0 nud permanent
echo "ok: an interface that is removed after a loss"

cat "$scenario" - >"$out/expects.yaml" <<'END'

expect:
  - {figure: drops, max: 1000000, name: all}
END
scenario=$out/expects.yaml
# The run's time is over before its loop goes on: frames in the rings count as unread. On a busy
# machine the time may be over before the loop stands still.
for ((seconds = 2; seconds < 100; seconds *= 2)); do
	run --strict --set duration=${seconds}s
	kill -STOP "$pid"
	blast
	sleep $seconds
	kill -CONT "$pid"
	wait "$pid" || break
done
ended 3
grep -q 'NOT JUDGED  all: drops' "$out/log" || fail "a criterion was judged"
echo "ok: what is expected of such a run is not judged"
