#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A disk that fills up under `quench run` and `quench sweep`, and files that may not grow further:
# recording stops with one line, the figures are whole, and each file that is not is named. Needs a
# namespace to mount a small disk in; skipped elsewhere.
# usage: disk_command.sh QUENCH CONFIG [virtual|real]
set -u
clock=${3:-virtual}
if [ "${4:-}" != inside ]; then
	unshare -rm true 2>/dev/null || exit 77
	exec unshare -rm "$0" "$(realpath "$1")" "$2" "$clock" inside
fi
quench=$1
scenario=$2/first-light.yaml
dir=$(mktemp -d)
trap 'cd /; umount "$dir/disk" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir disk
mount -t tmpfs -o size=600k none disk || exit 77
fail=0
full='No space left on device'

complain() {
	echo "disk_command, $clock clock: $1"
	cat out err
	fail=1
}

has() {
	grep -qE -- "$2" "$1" || complain "$1 lacks '$2'"
}

# run DIR OPTION...
run() {
	local out=$1
	shift
	"$quench" run "$scenario" --clock "$clock" --duration 20ms --set sample=10us \
		--out "$out" "$@" >out 2>err
	[ $? -eq 2 ] || complain "exit status 2 is right"
}

# whole DIR REASON: the figures are, and each file that is not is named there and on stderr
whole() {
	has err "^$1/[a-z.]*: incomplete: $2: recording stopped at [0-9.]* us; the run goes on\$"
	[ "$(grep -c 'the run goes on$' err)" -eq 1 ] || complain "one line is enough"
	python3 - "$1" <<-'END' || complain "$1 is not as it should be"
		import json
		import pathlib
		import re
		import sys

		run = pathlib.Path(sys.argv[1])
		said = pathlib.Path("err").read_text()
		summary = json.loads((run / "summary.json").read_text())
		manifest = json.loads((run / "manifest.json").read_text())
		assert summary["verdicts"]["conserved"] and summary["recorded_until_us"] > 0
		assert (run / "junit.xml").read_text().endswith("</testsuite>\n")
		assert any("recording stopped" in line for line in manifest["not_recorded"])
		assert manifest["missing"]
		for line in manifest["missing"]:
		    assert re.search(f"^{re.escape(str(run / line))}$", said, re.M), line
	END
}

run disk/run --quiet
whole disk/run "$full"
rm -r disk/*
run disk/run
has out '^first-light: '
has out '^  results     disk/run/$'
has out "^  FILES       [a-z.]*: incomplete: $full\$"
has out "^  STOPPED     [a-z.]*: incomplete: $full: recording stopped at [0-9.]* us\$"

# A disk that is full from the start, or too small for the figures, stops the run before it starts.
for left in 0 60; do
	rm -r disk/*
	head -c $(((600 - left) * 1024)) /dev/zero >disk/fill 2>/dev/null
	run disk/more
	has err "^disk/more.*: $full\$"
	[ -s out ] && complain "it ran"
done
rm -r disk/*

# Files that may not grow further are a full disk.
(
	ulimit -f 100
	run limited --quiet
	exit $fail
) || fail=1
whole limited 'File too large'

# A sweep: its table all the same.
if [ "$clock" = virtual ]; then
	head -c 700000 /dev/zero >disk/fill 2>/dev/null
	"$quench" sweep "$scenario" --duration 2ms --vary seed=1,2 --out disk/sweep >out 2>err
	[ $? -eq 2 ] || complain "a sweep onto a full disk: exit status 2 is right"
	has err "sweep.csv: incomplete: $full"
	has out '^first-light seed=2 .* ok(, unsettled)?$'
fi
exit $fail
