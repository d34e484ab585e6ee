#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A scenario on standard input: run, check, sweep and replay read it from `-`, for many runs alike.
# usage: stdin_command.sh QUENCH CONFIG DATA
set -u
quench=$(realpath "$1")
scenario=$(realpath "$2/first-light.yaml")
capture=$(realpath "$3/linux_softroce_rocev2.pcap")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0
grep -v '^name:' "$scenario" >nameless.yaml

complain() {
	echo "stdin_command: $1"
	cat out err
	fail=1
}

# expect STATUS FILE ARGUMENT... with the file on standard input
expect() {
	local status=$1 file=$2
	shift 2
	"$quench" "$@" <"$file" >out 2>err
	local got=$?
	[ $got -eq "$status" ] || complain "$*: exit status $got, $status is right"
}

# has FILE PATTERN
has() {
	grep -qE -- "$2" "$1" || complain "$1 lacks '$2'"
}

short=(--duration 200us --set warmup=0us)
expect 0 nameless.yaml run - "${short[@]}"
has out 'results     runs/stdin-virtual-1/$'
has runs/stdin-virtual-1/manifest.json '"scenario": ?"<stdin>"'
expect 0 "$scenario" run - "${short[@]}" --out named
"$quench" run "$scenario" "${short[@]}" --out file >out 2>err || complain "the same from its file"
cmp -s named/summary.json file/summary.json || complain "the results differ from those of the file"

expect 0 nameless.yaml check --full - --set seed=7
has out '^seed: 7 +# --set'
has out '^name: stdin'
has out '^duration: 150ms +# <stdin>:[0-9]+$'

printf 'duration: 1ms\nhots: {}\n' >wrong.yaml
expect 2 wrong.yaml check --full -
has err "^<stdin>:2:1: unknown key 'hots'"
expect 2 wrong.yaml run -
has err "^<stdin>:2:1: unknown key 'hots'"
expect 2 /dev/null run -
has err '^<stdin>:1:1: empty'
expect 2 . run -
has err '^<stdin>: Is a directory$'
"$quench" run - <&- >out 2>err && complain "a closed standard input has a scenario"
has err '^<stdin>: Bad file descriptor$'
head -c 20000000 /dev/zero >long.yaml
expect 2 long.yaml check --full -
has err '^<stdin>:1:1: longer than'

expect 0 nameless.yaml sweep - "${short[@]}" --vary seed=1,2,3 --jobs 2 --files
has out '^stdin seed=3 .* ok(, unsettled)?$'
has out 'runs/sweep-stdin/sweep.csv'
has runs/sweep-stdin/sweep.csv '^stdin,3,'
[ -s "runs/sweep-stdin/stdin,seed=2/summary.json" ] || complain "a run of the sweep has no folder"

# replay sends into it, a verdict on a figure that is not there is refused, completion does not
# wait for it.
expect 0 "${scenario%/*}/replay.yaml" replay "$capture" --scenario - --out replayed
has replayed/manifest.json '"scenario": ?"<stdin>"'
(cat nameless.yaml; echo "expect: [{figure: nosuch.figure, max: 1}]") >verdict.yaml
expect 2 verdict.yaml run -
has err '^<stdin>:[0-9]+:.*nosuch.figure'
"$quench" help --complete check - --set swi <&- >out 2>err || complain "no completion behind -"
has out '^switches\.$'
"$quench" help --complete check '' >out 2>err || complain "no completion of a scenario"
has out '^-$'

# Files of other kinds are recognised by their first bytes, as a file and here.
gzip -c "$capture" >packed.pcap.gz
sonic=${capture%/*}/sonic/leaf_32x100g.json
for file in "$capture" packed.pcap.gz; do
	for command in run check sweep; do
		expect 2 /dev/null $command "$file"
		has err 'pcap(\.gz)?: a capture is no scenario; .quench replay. sends it, and '
	done
	expect 2 "$file" run -
	has err '^<stdin>: a capture is no scenario; .quench replay. sends it'
done
expect 2 /dev/null run "$sonic"
has err "json: a SONiC switch's configuration is no scenario; .quench import. makes one of it$"
expect 2 "$sonic" check --full -
has err "^<stdin>: a SONiC switch's configuration is no scenario; .quench import. makes"

# A file of that name has its folder before it.
cp "$scenario" ./-
expect 0 /dev/null check --full ./-
has out '^name: first-light '
exit $fail
