#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The effect of signals on `quench run`, `replay`, `sweep` and `decode`: the first one ends each of
# them early with its results, a second one at once.
# usage: stop_command.sh QUENCH CONFIG TEST_DATA
set -u
quench=$(realpath "$1")
config=$2
data=$3
dir=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -KILL $pid 2>/dev/null; rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "stop_command: $1"
	cat out err
	fail=1
}

# has FILE PATTERN
has() {
	grep -qE -- "$2" "$1" || complain "$1 lacks '$2'"
}

# begin COMMAND...: in the background, with its own standard input where `input` names one. It heeds
# SIGHUP also where the tests are run by nohup.
begin() {
	env --default-signal=HUP,INT,TERM "$@" >out 2>err <"${input:-/dev/null}" &
	pid=$!
}

# Waits until a command holds, as long as the process lives.
until_holds() {
	until [ -z "$pid" ] || "$@"; do
		kill -0 $pid 2>/dev/null || {
			complain "it ended before: $*"
			pid=
			return
		}
	done
}

# ends SIGNAL STATUS
ends() {
	[ -n "$pid" ] || return
	kill -"$1" $pid
	wait $pid
	local got=$?
	pid=
	[ $got -eq "$2" ] || complain "$1: exit status $got, $2 is right"
}

# Millions of seconds, with no sample in them: it ends by a signal or never.
long=(--duration 100000s --set sample=10s)
for each in INT:130 TERM:143 HUP:129; do
	out=run-${each%:*}
	begin "$quench" run "$config/first-light.yaml" "${long[@]}" --out "$out" \
		--set 'expect=[{figure: jain, min: 0.9}]'
	until_holds [ -s "$out/events.csv" ]
	ends ${each%:*} ${each#*:}
	has "$out/summary.json" '"interrupted": true'
	has "$out/summary.json" '"conserved": true'
	has "$out/manifest.json" '"interrupted": true'
	has "$out/junit.xml" '<testsuite name="first-light \(interrupted\)"'
	has "$out/junit.xml" '<error message="jain is .* was expected \(interrupted\)"/>'
	has out ', interrupted$'
	has out 'no frame of a lossless class was dropped \(interrupted\)$'
	has out '0 of 1 criteria hold, 1 could not be judged \(interrupted\)$'
done

# A second signal ends it at once, even where the table finds no reader.
mkfifo table
exec 8<>table
head -c 65536 /dev/zero >&8 # what a pipe holds
"$quench" run "$config/first-light.yaml" "${long[@]}" --out second >&8 2>err &
pid=$!
until_holds [ -s second/events.csv ]
kill -INT $pid
until_holds [ -s second/manifest.json ]
ends TERM 143
exec 8>&-

# nohup: the terminal may go.
(
	trap '' HUP
	exec "$quench" run "$config/first-light.yaml" "${long[@]}" --out nohup --quiet
) &
pid=$!
until_holds [ -s nohup/events.csv ]
kill -HUP $pid
ends TERM 143

# Rounds that take no time, and all of them at the first instant.
begin "$quench" replay "$data/rc_write_only_ipv4.pcap" --loops 4294967295 \
	--set hosts.source.replay.gap=0us "${long[@]}" --out replay
until_holds [ -e replay/events.csv ]
ends INT 130
has replay/summary.json '"interrupted": true'

# A sweep told by its parent alone: what is done stays done, what runs is stopped, the rest is not
# begun.
begin "$quench" sweep "$config/first-light.yaml" --vary duration=2ms,100000s,90000s \
	--set sample=1s --jobs 1 --out sweep --files
until_holds [ -s sweep/first-light,duration=100000s/events.csv ]
child=$(pgrep -P $pid)
ends TERM 143
[ -n "$child" ] && kill -0 "$child" 2>/dev/null && complain "a run of the sweep is left"
has sweep/sweep.csv '2ms,.*,ok$'
has sweep/sweep.csv '100000s,.*,stopped$'
has sweep/sweep.csv '90000s,.*,not run$'
has out 'duration=100000s .* stopped$'

# To a whole group, as from a terminal: the same.
set -m
begin "$quench" sweep "$config/first-light.yaml" --vary duration=2ms,100000s --set sample=1s \
	--jobs 1 --out group --files
set +m
until_holds [ -s group/first-light,duration=100000s/events.csv ]
kill -INT -- -$pid
wait $pid
[ $? -eq 130 ] || complain "a sweep's group: exit status 130 is right"
pid=
has group/sweep.csv '100000s,.*,stopped$'

# A signal in the first pass of `warmup: auto`: no run begins, and the row of a sweep was not run.
# The kernel tells when the program catches signals. The shell that becomes the program catches them
# before it does, and would carry out the trap above.
catches_int() {
	local mask
	[ "/proc/$pid/exe" -ef "$quench" ] || return 1
	mask=$(awk '/^SigCgt/ { print $2 }' "/proc/$pid/status" 2>/dev/null)
	[ $((0x0${mask: -1} & 2)) -ne 0 ]
}
begin "$quench" run "$config/first-light.yaml" "${long[@]}" --set warmup=auto --out pass
until_holds catches_int
ends INT 130
has err '^interrupted in the first pass of warmup: auto$'
[ -e pass ] && complain "a run that did not begin leaves a folder"
begin "$quench" sweep "$config/first-light.yaml" "${long[@]}" --vary warmup=auto,0us --jobs 1 \
	--files --out passes
until_holds pgrep -P $pid
ends INT 130
has passes/sweep.csv ',auto,.*,not run$'
[ -e passes/first-light,warmup=auto ] && complain "a row that did not run leaves a folder"

# A capture that goes on: what came by now is shown.
mkfifo pipe
input=pipe begin "$quench" decode - --summary
exec 9>pipe
# more than a pipe holds: most has been read when this ends
cat "$data/linux_softroce_rocev2.pcap" >&9
ends INT 130
exec 9>&-
has out '^- \(interrupted\): [0-9]+ frames'
has err 'interrupted after [0-9]+ frames'
exit $fail
