#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `warmup: auto` on the real clock and on both: the run has the warm-up that a first pass in virtual
# time finds, as if it had been given, and each line about it and each warning is told once.
# usage: warmup_clocks_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"

# A control that hears of no mark brings a warning.
cat >auto.yaml <<'END'
duration: 8ms
warmup: auto
controls: {dcqcn: {profile: paper}}
switches: {s1: {classes: {3: {lossless: true, pfc: {xoff: 100KB}}}}}
hosts: {h1..2: , r: }
links: [{between: [[h1..2, r], s1], rate: 2Gbps, delay: 1us}]
flows: {f: {from: h1..2, to: r, class: 3, control: dcqcn}}
END

# run FOLDER OPTION...
run()
{
	to=$1
	shift
	status=0
	"$quench" run auto.yaml "$@" --out "$to" >log 2>"log-$to" || status=$?
	[ "$status" -le 1 ] || fail "$*: exit status $status" # the clocks need not agree
}
real="--clock real --no-huge --workers 1 --dilate 20"

# once PATTERN FOLDER
once()
{
	[ "$(grep -c "$1" "log-$2")" = 1 ] || fail "$2: '$1' is not told once"
}

# same FOLDER FOLDER: the manifests, but for this machine and the clock, and the windows.
same()
{
	python3 - "$1" "$2" <<'END' || fail "$1 and $2 differ"
import json, sys
runs = [json.load(open(f"{folder}/manifest.json")) for folder in sys.argv[1:]]
windows = [json.load(open(f"{folder}/summary.json"))["window_from_us"] for folder in sys.argv[1:]]
for run in runs:
    for key in ("here", "clock", "dilate"):
        run.pop(key, None)
sys.exit(runs[0] != runs[1] or {*windows} != {runs[0]["warmup_us"]})
END
}

# shellcheck disable=SC2086 # words
run auto $real
once '^warmup: auto is .* by a first pass of ' auto
once '^warning: ' auto
value=$(sed -n 's/^warmup: auto is \([^,]*\),.*/\1/p' log-auto)
# shellcheck disable=SC2086
run given $real --set warmup="$value"
same auto given

run virtual
once "^warmup: auto is $value," virtual
same auto virtual

# shellcheck disable=SC2086
run both $real --clock both --references 4
once "^warmup: auto is $value," both
once '^warning: ' both
grep -q '^4 runs in virtual time, and one in real time:$' log || fail "the clocks are not compared"
same auto both/virtual
same auto both/real
