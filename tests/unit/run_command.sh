#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Where `quench run` puts its results: names of any length, whole or refused.
# usage: run_command.sh QUENCH CONFIG
set -u
quench=$(realpath "$1")
scenario=$2/first-light.yaml
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "run_command: $1"
	cat out err
	fail=1
}

# run STATUS ARGUMENT...
run() {
	local status=$1
	shift
	"$quench" run "$scenario" --duration 200us --set warmup=0us "$@" >out 2>err
	local got=$?
	[ $got -eq "$status" ] || complain "$*: exit status $got, $status is right"
}

# has FILE PATTERN
has() {
	grep -qE -- "$2" "$1" || complain "$1 lacks '$2'"
}

x10=xxxxxxxxxx
x200=$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10
deep=$x200/$x200/$x200/$x200/$x200/$x200
run 0 --set "name=$x200"
[ -s "runs/$x200-virtual-1/summary.json" ] || complain "a long name of a scenario is cut"
run 0 --out "$deep"
[ -s "$deep/summary.json" ] || complain "a long --out is cut"
has "$deep/manifest.json" "--out $deep\""
run 2 --out "$deep/$deep/$deep/$deep"
has err "a folder's name has 4032 octets at most"
"$quench" sweep "$scenario" --duration 200us --set warmup=0us --out "$deep/sweep" --plot jain,drops >out 2>err ||
	complain "a sweep with a long --out fails"
[ -s "$deep/sweep/sweep.csv" -a -s "$deep/sweep/sweep.svg" ] || complain "a sweep's long --out is cut"
exit $fail
