#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Standard output that fails, full or without a reader, is exit status 2 with one line, whatever the
# command; files are whole all the same.
# usage: stdout_command.sh QUENCH CONFIG TEST_DATA
set -u
quench=$(realpath "$1")
scenario=$2/first-light.yaml
data=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "stdout_command: $1"
	cat err
	fail=1
}

judge() {
	[ "$1" -eq 2 ] || complain "$3, $2: exit status $1, 2 is right"
	[ "$(grep -c 'standard output: incomplete' err)" -eq 1 ] ||
		complain "$3, $2: one line is wanted"
}

# each COMMAND...: to a full disk, to a pipe whose reader has gone, and to nothing at all
each() {
	rm -rf out runs
	"$quench" "$@" >/dev/full 2>err
	judge $? "$*" 'a full disk'
	rm -rf out runs
	mkfifo pipe
	{
		read -r _ <gone
		"$quench" "$@" 2>err
		echo $? >status
	} >pipe &
	: <pipe
	echo >gone
	wait
	rm pipe
	judge "$(cat status)" "$*" 'a closed pipe'
	rm -rf out runs
	"$quench" "$@" >&- 2>err
	judge $? "$*" 'no standard output'
}

mkfifo gone
short=(--duration 200us --set warmup=0us)
each run "$scenario" "${short[@]}" --out out
[ -s out/summary.json -a -s out/manifest.json ] || complain "the run folder is not whole"
grep -q 'first-light: virtual time' out/*.csv out/*.txt &&
	complain "the table stands in a file of the run"
each run --list
each --version
each --help
each check "$scenario"
each check "$scenario" --dot
each decode "$data/linux_softroce_rocev2.pcap"
each decode "$data/linux_softroce_rocev2.pcap" --summary
each import "$data/sonic/leaf_32x100g.json"
each replay "$data/rc_write_only_ipv4.pcap" --out out
each sweep "$scenario" "${short[@]}" --out out
[ -s out/sweep.csv -a -s out/sweep.json ] || complain "the files of the sweep are not whole"
each sweep "$scenario" "${short[@]}" --out out --csv
exit $fail
