#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A load on the real clock, in slow motion: over links in memory, and as two parts over
# net_af_packet and veth. The messages are those that `quench check` lists: their bytes, ends and
# instants. The median completion time of the messages that take longer than a hundred loops is that
# of virtual time to 10 %. A machine that is too busy for this runs it once more, four times as
# slowly; if quench then says that its loops were too late for the scenario, neither the median nor
# the end of all messages is judged.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_load.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="a load on the real clock"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_load.yaml
net_begin

ip netns add $a
devices=()
n=0
for h in h3 h4; do
	join $a "$h" "s1$h"
	n=$((n + 1))
	devices+=(--set "ports.s1:$h.device=net_af_packet$n,iface=s1$h"
		--set "ports.$h:s1.device=net_af_packet$n$n,iface=$h")
done

run_memory() {
	"$quench" run "$scenario" --clock real --workers 1 --dilate "$dilate" --force --quiet \
		--out "$out/memory" >>"$out/log" 2>&1 || fail "the run in memory ends with $?"
}

run_parts() {
	ip netns exec $a "$quench" run "$scenario" --clock real --nodes h3..4 --workers 1 \
		--dilate "$dilate" --force --quiet "${devices[@]}" --out "$out/far" \
		>>"$out/log" 2>&1 &
	far=$!
	ip netns exec $s "$quench" run "$scenario" --clock real --nodes h1..2,s1 --workers 1 \
		--dilate "$dilate" --force --quiet "${devices[@]}" --out "$out/near" \
		>>"$out/log" 2>&1 || fail "the switch's part ends with $?"
	wait $far || fail "the other part ends with $?"
	"$quench" merge "$out/near" "$out/far" --force --out "$out/whole" >"$out/merged" 2>&1 ||
		fail "merge ends with $?: $(cat "$out/merged")"
	[ "$(grep -c '^link .* PASS, ' "$out/merged")" = 4 ] ||
		fail "a link does not add up: $(cat "$out/merged")"
}

# usage: compare FOLDER...    the parts of one run
compare() {
	python3 - "$out" "$@" <<'END'
import json
import statistics
import sys

TOLERANCE = 20e3  # ns that a loop in memory moves the scene on at most
out, parts = sys.argv[1], sys.argv[2:]
wrong = 0


def same(name, one, two):
    global wrong
    if one != two:
        print(f"{parts}: {name}: {one} and {two}")
        wrong += 1


def completed(parts):
    """Messages of each pair of hosts: start ns, bytes, ns to the end."""
    pairs = {}
    for part in parts:
        with open(f"{out}/{part}/fct.txt") as f:
            for line in f:
                a = line.split()
                pair = tuple(int(x, 16) % 256 - 1 for x in a[:2])
                pairs.setdefault(pair, []).append(tuple(map(int, (a[5], a[4], a[6]))))
    return {pair: sorted(m) for pair, m in pairs.items()}


known = {}
with open(f"{out}/flow.txt") as f:
    for line in f.read().split("\n")[1:]:
        if line:
            a = line.split()
            known.setdefault((int(a[0]), int(a[1])), []).append(
                (round(float(a[5]) * 1e9), int(a[4])))
real, virtual = completed(parts), completed(["virtual"])
count = sum(map(len, known.values()))
gaps, late = 0, False
for part in parts:
    with open(f"{out}/{part}/summary.json") as f:
        summary = json.load(f)
    same("conserved", summary["verdicts"]["conserved"], True)
    same("descriptors missing", summary["verdicts"]["pool_missing"], 0)
    gaps = max(gaps, summary["instrument"]["loop_gap_p99_us"] * 1e3)
    late = late or summary["instrument"]["timing_broken"]
if len(parts) == 1:
    gaps = min(gaps, TOLERANCE)
if sum(map(len, real.values())) < count:
    print(f"{parts}: messages have not ended")
    sys.exit(1 if wrong else 3 if late else 2)
same("pairs of hosts", sorted(real), sorted(known))
times = []
for pair, messages in known.items():
    same(f"bytes of {pair}", [m[1] for m in real.get(pair, [])], [m[1] for m in messages])
    for (at, _), (start, _, took), (_, _, alone) in zip(messages, real[pair], virtual[pair]):
        same(f"instant of a message of {pair}, to 1 ns", abs(start - at) <= 1, True)
        if alone > 100 * gaps:
            times.append((took, alone))
median = [statistics.median(t[i] for t in times) / 1e6 for i in (0, 1)] if times else [0, 0]
print(f"{' and '.join(parts)}: {count} messages; median of {len(times)}: "
      f"{median[0]:.3f} ms, in virtual time {median[1]:.3f} ms; loop gap p99 {gaps / 1e3:.1f} us")
if wrong:
    sys.exit(1)
if len(times) < count / 4 or abs(median[0] / median[1] - 1) > 0.1:
    sys.exit(3 if late else 2)
END
}

"$quench" check "$scenario" --dump-flows >"$out/flow.txt"
"$quench" run "$scenario" --quiet --out "$out/virtual" >>"$out/log" 2>&1

# usage: run RUN FOLDER...    a function, and the parts that it runs
run() {
	for dilate in 10 40; do
		"$1"
		code=0
		compare "${@:2}" || code=$?
		[ $code -ge 2 ] || break
	done
	[ $code != 3 ] || echo "rt_load: loops were too late, so the median is not judged"
	[ $code = 0 ] || [ $code = 3 ] || fail "messages differ from those of virtual time"
}

run run_memory memory
run run_parts near far
echo "rt_load: the same messages came in virtual time, in memory and over veth"
