#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench do against a running instance: mark, pause and resume, quiesce that goes on or stops the
# run, stop. Then the run ends by itself, and events.csv and the manifest have what was done and by
# whom. After a quiesce no frame is missing. A rerun has the marks of the user, and no others.
# usage: quiesce_command.sh QUENCH CONFIG
set -eu
quench=$(realpath "$1")
config=$2
dir=$(mktemp -d)
name=quiesce-command-$$
pid=
cd "$dir"
trap '[ -z "$pid" ] || kill $pid 2>/dev/null || true; wait; rm -rf "$dir"' EXIT

fail()
{
	echo "quiesce_command: $*"
	cat log out
	exit 1
}

# Begins a run that would last for minutes, in this folder and with these options.
begins()
{
	out=$1
	shift
	"$quench" run "$config/first-light.yaml" --clock real --dilate 40 --no-huge --quiet \
		--instance $name --out "$out" --duration 10s --set warmup=0us --record events=all \
		"$@" >log 2>&1 &
	pid=$!
	tries=0
	until "$quench" stats --instance $name >out 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || fail 'no instance'
		sleep 0.05
	done
}

# An action ends with this status, and its output has this pattern.
says()
{
	want=$1
	pattern=$2
	shift 2
	status=0
	"$quench" do --instance $name "$@" >out 2>&1 || status=$?
	[ $status -eq "$want" ] || fail "do $*: exit status $status, $want is right"
	grep -q -- "$pattern" out || fail "do $* does not print '$pattern'"
}

# The run ends by itself with status 0. These actions stand in the manifest and in events.csv. After
# a quiesce no frame is missing.
ends()
{
	status=0
	wait $pid || status=$?
	pid=
	[ $status -eq 0 ] || fail "the run's exit status is $status"
	python3 - "$@" <<'PY' || fail "$1 has another end"
import json, re, sys
run, want = sys.argv[1], sys.argv[2:]
manifest, summary = (json.load(open("%s/%s.json" % (run, f))) for f in ("manifest", "summary"))
frames = [f["frame_delta"] for f in summary["flows"]]
assert want[-1] != "quiesce" or not any(frames), frames
assert not manifest.get("interrupted"), manifest["interrupted"]
done = [d["event"] for d in manifest["done"]]
names = [next(k for k in e if k != "at") for e in done]
assert names == want, names
assert all(re.fullmatch(r"pid \d+ of user \d+", d["by"]) for d in manifest["done"])
rows = [line.split(",") for line in open(run + "/events.csv")]
marks = [r[5] for r in rows if r[1] == "user_mark"]
assert len(marks) == len(want), marks
for name, mark in zip(want, marks):
    if name == "mark":
        assert mark == "Kmin is next", mark
    else:
        assert re.fullmatch(r"do %s.* \(pid \d+ of user \d+\)" % name, mark), mark
PY
}

begins one
says 0 'done at .* ms by ' 'mark: Kmin is next'
says 2 'a mark is a line of 1 to 80 characters' "mark: $(printf '%081d' 0)"
says 0 'done at .* by h1, h2, h3' 'pause: all'
says 2 "there is no" 'pause: nobody'
says 0 'done at .* by h1, h2, h3' 'resume: all'
says 0 'done at .* by ' 'quiesce: {then: go_on}'
says 0 'done at .* by ' quiesce
ends one mark pause resume quiesce quiesce
says 2 'no instance' stop

# A switch on two lcores, which is the first node, tells a mark once.
begins two --workers 2 --set switches.s1.lcores=2
says 2 'stop' 'stop: now'
says 0 'done at .* by ' stop
ends two stop

"$quench" rerun one --out again --quiet >log 2>&1 || fail "rerun: exit status $?"
[ "$(grep -c ,user_mark, again/events.csv)" = 1 ] || fail 'the rerun has other marks'
grep -q ',user_mark,.*,Kmin is next,' again/events.csv || fail 'the rerun lacks the mark'
