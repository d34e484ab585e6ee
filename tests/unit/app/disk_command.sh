#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A disk that fills up under `quench run` and `quench sweep`: said at once with the file and why,
# the table is printed, and the manifest is whole and says what is missing. Needs a namespace to
# mount a small disk in; skipped elsewhere.
# usage: disk_command.sh QUENCH CONFIG
set -u
if [ "${3:-}" != inside ]; then
	unshare -rm true 2>/dev/null || exit 77
	exec unshare -rm "$0" "$(realpath "$1")" "$2" inside
fi
quench=$1
scenario=$2/first-light.yaml
dir=$(mktemp -d)
trap 'cd /; umount "$dir/disk" 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir disk
mount -t tmpfs -o size=600k none disk || exit 77
fail=0

complain() {
	echo "disk_command: $1"
	cat out err
	fail=1
}

has() {
	grep -qE -- "$2" "$1" || complain "$1 lacks '$2'"
}

"$quench" run "$scenario" --set sample=10us --out disk/run >out 2>err
[ $? -eq 2 ] || complain "exit status 2 is right"
has err '^disk/run/[a-z.]*: incomplete: No space left on device; the run goes on$'
has out '^first-light: virtual time'
has out '^  results     disk/run/$'
has out '^  FILES       timeseries.csv: incomplete: No space left on device$'
has disk/run/manifest.json '"timeseries.csv: incomplete: No space left on device"'
[ "$(tail -c 2 disk/run/manifest.json)" = '}' ] || complain "the manifest is not whole"

# What is full from the start takes no run.
"$quench" run "$scenario" --out disk/more >out 2>err
[ $? -eq 2 ] || complain "a full disk: exit status 2 is right"
has err '^disk/more.*: No space left on device$'
[ -s out ] && complain "it ran"

# A sweep: its table all the same.
rm -r disk/*
head -c 700000 /dev/zero >disk/fill 2>/dev/null
"$quench" sweep "$scenario" --duration 2ms --vary seed=1,2 --out disk/sweep >out 2>err
[ $? -eq 2 ] || complain "a sweep onto a full disk: exit status 2 is right"
has err 'sweep.csv: incomplete: No space left on device'
has out '^first-light seed=2 .* ok$'
exit $fail
