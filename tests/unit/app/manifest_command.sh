#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The configuration in manifest.json is a scenario: taken out of it, it runs again, and every file
# of the run is the same to the byte, but for the name of the scenario's file and for warnings,
# which are about lines of it.
# usage: manifest_command.sh QUENCH CONFIG
set -u
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$2" || exit 1 # files that a scenario from standard input names are looked for here
fail=0
runs=0

complain() {
	echo "manifest_command: $1"
	cat "$dir/log"
	fail=1
}

# Prints the object as a program writes JSON that it has read.
resolved() {
	python3 -c '
import json, sys
with open(sys.argv[1]) as f:
    resolved = json.load(f)["resolved"]
assert isinstance(resolved, dict)
json.dump(resolved, sys.stdout)' "$1"
}

for file in *.yaml; do
	name=${file%.yaml}
	[ "$name" != reference ] || continue # no network
	one=$dir/$name/one two=$dir/$name/two
	"$quench" run "$file" --duration 300us --set warmup=0us --set drain=0us --seed 7 \
		--out "$one" --quiet >"$dir/log" 2>&1
	[ $? -le 1 ] || complain "$name does not run"
	resolved "$one/manifest.json" >"$dir/resolved.json" || complain "$name: no object"
	"$quench" run - --out "$two" --quiet <"$dir/resolved.json" >"$dir/log" 2>&1
	[ $? -le 1 ] || complain "$name: what was resolved does not run"
	rm "$one/manifest.json" "$two/manifest.json"
	sed -i -e '/^  "scenario": /d' -e '/^  "warnings": \[\]/d' \
		-e '/^  "warnings": \[$/,/^  \]/d' "$one/summary.json" "$two/summary.json"
	diff -r "$one" "$two" >"$dir/log" || complain "$name: another result"
	runs=$((runs + 1))
done
[ $runs -gt 30 ] || complain "only $runs scenarios ran"
exit $fail
