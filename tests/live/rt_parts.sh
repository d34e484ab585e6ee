#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Parts of a scenario: generator, switch and receiver as three processes in slow motion, over
# net_af_packet and veth, in namespaces of their own, or over net_memif. No frame is lost on a link.
# What one end has sent, the other has received; marks are CE frames, and CNPs that are sent are
# taken; goodput is that of virtual time to 10 %. A machine that is too busy for this runs it once
# more, four times as slowly. If a part then says that it broke its own timing, goodput and equal
# counts are not judged.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_parts.sh QUENCH [veth|memif]
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
over=${2:-veth}
what="a scenario in three parts over $over"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_parts.yaml
net_begin

ip netns add $a
ip netns add $b
devices=()
if [ "$over" = veth ]; then
	join $a h1 s1h1
	join $a h2 s1h2
	join $b r1 s1r
else
	n=0
	cable=socket=$out/cable,socket-abstract=no
	for node in h1 h2 r; do
		n=$((n + 1))
		devices+=(--set "ports.s1:$node.device=net_memif$n,role=server,id=$n,$cable"
			--set "ports.$node:s1.device=net_memif1$n,role=client,id=$n,$cable")
	done
fi

part() { # NAMESPACE NODES FOLDER
	ip netns exec "$1" "$quench" run "$scenario" --clock real --nodes "$2" --workers 1 \
		--dilate "$dilate" --set wait_link=600s --force --quiet "${devices[@]}" \
		--out "$out/$3" >>"$out/log" 2>&1
}

run_parts() {
	part $s s1 s1 &
	switch=$!
	# A client of memif finds no server before its socket is there.
	while [ "$over" = memif ] && [ ! -S "$out/cable" ]; do
		kill -0 $switch || fail "the switch ends early"
		sleep 0.05
	done
	part $b r r &
	receiver=$!
	part $a h1..2 h || fail "the generator ends with $?"
	wait $receiver || fail "the receiver ends with $?"
	wait $switch || fail "the switch ends with $?"
	"$quench" merge "$out/h" "$out/s1" "$out/r" --force \
		--out "$out/whole" >"$out/merged" 2>&1 ||
		fail "merge ends with $?: $(cat "$out/merged")"
	[ "$(grep -c '^link .* PASS, ' "$out/merged")" = 6 ] ||
		fail "a link does not add up: $(cat "$out/merged")"
	"$quench" report "$out/whole" >>"$out/log" 2>&1 || fail "the whole has no page"
}

compare() {
	python3 - "$out" <<'END'
import json
import sys

run = {}
for part in ("s1", "r", "h", "virtual", "whole"):
    with open(f"{sys.argv[1]}/{part}/summary.json") as f:
        run[part] = json.load(f)
instruments = {part: run[part]["instrument"] for part in ("s1", "r", "h")}
for part, of in instruments.items():
    print(f"loops of {part}: p99 {of['loop_gap_p99_us']} us, at most {of['loop_gap_max_us']} us; "
          f"{of['timing'] or 'timing held'}")
late = any(of["timing_broken"] for of in instruments.values())
wrong = out_of_time = 0


def same(name, one, two):
    global wrong
    if one != two:
        print(f"{name}: {one} and {two}")
        wrong += 1


def in_time(name, one, two):
    """The same, unless loops are late: drain and timeouts may be too short for them."""
    global out_of_time
    if one != two:
        print(f"{name}: {one} and {two}")
        out_of_time += 1


def flows(part, key):
    return [f[key] for f in run[part]["flows"] if key in f]


for part in ("s1", "r", "h"):
    same(f"{part} is conserved", run[part]["verdicts"]["conserved"], True)
    same(f"descriptors missing of {part}", run[part]["verdicts"]["pool_missing"], 0)
in_time("resent", sum(flows("h", "data_frames_retransmitted")), 0)
in_time("out of order", sum(flows("r", "frame_sequence_error")), 0)
in_time("of the open loop lost", run["r"]["sources"][0]["lost"], 0)
same("data seen by a part that is not theirs", flows("s1", "data_frames_rx"), [])
same("goodput at the sender", flows("h", "goodput_gbps"), [None, None])
same("objects of the whole", [len(run["whole"][k]) for k in ("flows", "links", "queues")],
     [len(run["virtual"][k]) for k in ("flows", "links", "queues")])
in_time("frames lost by flows of the whole", flows("whole", "frame_delta"), [0, 0])
for name, one, two in (
    ("marks and CE", run["s1"]["total"]["marks"], sum(flows("r", "ecn_ce_rx"))),
    ("CNPs sent and taken", sum(flows("r", "cnp_tx")), sum(flows("h", "cnp_rx"))),
    ("data sent and received", sum(flows("h", "data_frames_tx")),
     sum(flows("r", "data_frames_rx"))),
):
    print(f"{name}: {one}")
    in_time(name, one, two)
    same(f"{name}, any", one >= two > 0, True)
# Both ends of a cable say the same of their clocks.
clock = {d["port"]: d for d in run["whole"]["devices"]}
for one, two in (("h1:s1", "s1:h1"), ("h2:s1", "s1:h2"), ("r:s1", "s1:r")):
    apart = clock[one]["peer_clock_us"] + clock[two]["peer_clock_us"]
    bound = clock[one]["peer_clock_bound_us"] + clock[two]["peer_clock_bound_us"]
    print(f"clocks of {one}: {clock[one]['peer_clock_us']} us apart, "
          f"to {clock[one]['peer_clock_bound_us']} us")
    same(f"clocks of {one} and {two} agree", abs(apart) <= bound, True)
# The receiver knows the clock of a sender behind the switch from the switch's reports.
noise = run["r"]["sources"][0]
slowest = max(g["fct_max_us"] for g in run["h"]["groups"])
print(f"one-way latency: p50 {noise['latency_p50_us']} us, {noise['latency_min_us']} us at least, "
      f"to within {noise['latency_bound_us']} us; slowest message: {slowest} us; "
      f"{noise['undated']} of {noise['rx_frames']} frames without it")
in_time("most latencies are known", noise["undated"] < noise["rx_frames"] / 2, True)
same("latency is shorter than the slowest message",
     0 <= noise["latency_min_us"] < slowest + noise["latency_bound_us"], True)
same("latency of the whole", [run["whole"]["sources"][0][k] for k in (
    "latency_p50_us", "latency_bound_us")], [noise["latency_p50_us"], noise["latency_bound_us"]])
real, virtual = (sum(flows(p, "goodput_gbps")) for p in ("r", "virtual"))
print(f"goodput: {real:.3f} Gb/s, in virtual time {virtual:.3f} Gb/s")
if abs(real - virtual) > 0.1 * virtual:
    print("goodput is further than 10 % from virtual time")
    out_of_time += 1
if wrong:
    sys.exit(1)
if out_of_time:
    sys.exit(3 if late else 2)
END
}

"$quench" run "$scenario" --quiet --out "$out/virtual" >>"$out/log" 2>&1
for dilate in 10 40; do
	run_parts
	code=0
	compare || code=$?
	[ $code -ge 2 ] || break
done
[ $code != 3 ] || echo "rt_parts: a part broke its own timing, so this is not judged"
[ $code = 0 ] || [ $code = 3 ] || fail "what came is not what was sent"
echo "rt_parts: a generator, a switch and a receiver ran one scenario over $over"
