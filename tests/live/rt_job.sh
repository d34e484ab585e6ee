#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A job on the real clock, in slow motion: over links in memory, and as two parts over net_af_packet
# and veth. Each rank gets the messages of virtual time in the same order, which the dependencies of
# the ring determine. The job takes as long as in virtual time to 10 %. A machine that is too busy
# for this runs it once more, ten times as slowly; if quench then says that its loops were too late
# for the scenario, the time is not judged.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_job.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="a job on the real clock"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_job.yaml
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

slowly() { # OPTION...
	"${inside[@]}" "$quench" run "$scenario" --clock real --workers 1 --dilate "$dilate" \
		--set "duration=${duration}ms" --set drain=100ms --force --quiet "$@"
}

run_memory() {
	slowly --instance "job-memory-$$" --out "$out/memory" >>"$out/log" 2>&1 ||
		fail "the run in memory ends with $?"
}

run_parts() {
	inside=(ip netns exec "$a")
	slowly --nodes h3..4 "${devices[@]}" --instance "job-far-$$" --out "$out/far" \
		>>"$out/log" 2>&1 &
	far=$!
	inside=(ip netns exec "$s")
	slowly --nodes h1..2,s1 "${devices[@]}" --instance "job-near-$$" --out "$out/near" \
		>>"$out/log" 2>&1 || fail "the switch's part ends with $?"
	wait $far || fail "the other part ends with $?"
	"$quench" merge "$out/near" "$out/far" --force --out "$out/whole" >"$out/merged" 2>&1 ||
		fail "merge ends with $?: $(cat "$out/merged")"
	[ "$(grep -c '^link .* PASS, ' "$out/merged")" = 4 ] ||
		fail "a link does not add up: $(cat "$out/merged")"
}

# usage: compare FOLDER...    the parts of one run
compare() {
	local part
	for part in virtual "$@"; do
		"$quench" events "$out/$part" --json >"$out/$part.events" 2>>"$out/log" ||
			fail "the events of $part cannot be read"
	done
	python3 - "$out" "$@" <<'END'
import json
import sys

out, parts = sys.argv[1], sys.argv[2:]
wrong = 0


def same(name, one, two):
    global wrong
    if one != two:
        print(f"{parts}: {name}: {one} and {two}")
        wrong += 1


def read(parts):
    """By rank the messages in their order, the ends of its iterations, ps; ranks with parts."""
    messages, done, split = {}, {}, set()
    for part in parts:
        with open(f"{out}/{part}.events") as f:
            for e in map(json.loads, f):
                rank = int(e["detail"].split()[0].split(".")[1])
                if e["event"] == "job_message":
                    messages.setdefault(rank, []).append((e["from"], e["tag"], e["bytes"]))
                elif e["event"] == "job_step":
                    done.setdefault(rank, []).append(e["done"])
                elif e["event"] == "job_part":
                    split.add(rank)
    return messages, done, split


real, ends, split = read(parts)
virtual, virtual_ends, _ = read(["virtual"])
late = False
for part in parts:
    with open(f"{out}/{part}/summary.json") as f:
        summary = json.load(f)
    same("conserved", summary["verdicts"]["conserved"], True)
    same("descriptors missing", summary["verdicts"]["pool_missing"], 0)
    late = late or bool(summary["instrument"]["timing_broken"])
if len(virtual_ends) != 4 or any(len(e) != 3 for e in virtual_ends.values()):
    print(f"virtual time: {virtual_ends}")
    sys.exit(1)
if any(len(ends.get(rank, [])) < 3 for rank in virtual_ends):
    print(f"{parts}: ranks are not over")
    sys.exit(1 if wrong else 3 if late else 2)
for rank, want in virtual.items():
    same(f"messages of rank {rank}", real.get(rank), want)
# In the ring every chain of two parts has come from the other part.
same("ranks whose parts are known", sorted(split), sorted(virtual) if len(parts) == 1 else [])
took, alone = (max(e[-1] for e in of.values()) / 1e9 for of in (ends, virtual_ends))
print(f"{' and '.join(parts)}: {took:.3f} ms, in virtual time {alone:.3f} ms")
if wrong:
    sys.exit(1)
if abs(took / alone - 1) > 0.1:
    sys.exit(3 if late else 2)
END
}

"$quench" run "$scenario" --quiet --out "$out/virtual" >>"$out/log" 2>&1

# usage: run RUN FOLDER...    a function, and the parts that it runs
run() {
	for dilate in 10 100; do
		duration=$((dilate > 10 ? 200 : 600)) inside=()
		"$1"
		code=0
		compare "${@:2}" || code=$?
		[ $code -ge 2 ] || break
	done
	[ $code != 3 ] || echo "rt_job: loops were too late, so the time is not judged"
	[ $code = 0 ] || [ $code = 3 ] || fail "the job differs from that of virtual time"
}

run run_memory memory
run run_parts near far
echo "rt_job: the same messages came in virtual time, in memory and over veth"
