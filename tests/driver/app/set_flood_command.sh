#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Values are set in a running instance faster than it can take them, by two writers, among wrong
# requests and clients that break off. Each set is refused, or is in the manifest at its instant;
# the run's memory stays within a bound, and the run ends cleanly.
# usage: set_flood_command.sh QUENCH CONFIG [SETS]
set -eu
quench=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
config=$2
sets=${3:-200}
dir=$(mktemp -d)
name=set-flood-$$
cd "$dir"
# Memory that ASan keeps aside is no memory of the run.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1"
"$quench" run "$config/first-light.yaml" --clock real --dilate 40 --no-huge --quiet \
	--instance $name --out run --duration 1000s --set poll=yield >log 2>&1 &
pid=$!
trap 'kill -KILL $pid 2>/dev/null || true; wait $pid 2>/dev/null || true; rm -rf "$dir"' EXIT

fail()
{
	echo "set_flood_command: $*"
	cat log
	exit 1
}

until "$quench" stats --instance $name >/dev/null 2>&1; do
	kill -0 $pid 2>/dev/null || fail 'it has ended'
	sleep 0.05
done
socket=$(find /run/dpdk /var/run/dpdk "${XDG_RUNTIME_DIR:-/nowhere}"/dpdk /tmp/dpdk \
	-path "*/quench-$pid/quench_control" 2>/dev/null | head -1)
python3 "$here/set_flood.py" "$socket" $pid "$sets" flood.json || fail 'the flood'
wait $pid || fail "the run's exit status is $?"
status=0
"$quench" set --instance $name switches.s1.classes.3.wred.max=1MB >out 2>&1 || status=$?
[ $status = 2 ] && grep -q 'no instance' out || fail "a set after the end: status $status"

python3 - <<'PY' || fail 'the manifest does not have what was accepted'
import json
flood = json.load(open("flood.json"))
done = [d["event"] for d in json.load(open("run/manifest.json"))["done"]]
kept = [[int(e["at"][:-2]), *next(iter(e["set"].items()))] for e in done if "set" in e]
assert [at for at, _, _ in kept] == sorted(at for at, _, _ in kept)
assert [e for e in done if "set" not in e] == [e for e in done if "stop" in e], "an action"
left = kept
for accepted in flood["accepted"]:
    values = {value for _, _, value in accepted}
    assert [k for k in left if k[2] in values] == accepted, "the sets of a writer"
    left = [k for k in left if k[2] not in values]
# The others are the first ones that each client has sent that did not read.
for sent in flood["unread"]:
    values = set(sent)
    mine = [k[2] for k in left if k[2] in values]
    assert mine and mine == sent[:len(mine)], "the sets of one that does not read"
    left = [k for k in left if k[2] not in values]
assert not left, left
summary = json.load(open("run/summary.json"))
assert summary["verdicts"]["conserved"] and not summary["interrupted"]
assert summary["verdicts"]["pool_missing"] == 0
PY
