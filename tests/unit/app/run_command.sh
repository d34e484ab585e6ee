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
has err "a folder's name has 4032 bytes at most"
run 2 --set "name=${x200}x"
has err "name has 201 characters; it becomes part of a folder's name, and may have 200"
run 2 --clock real --instance ''
has err "--instance '': a name has 1 to 63 characters, this one 0"
run 2 --clock real --instance "$x200"
has err 'a name has 1 to 63 characters, this one 200'
run 2 --start now
has err '^quench run: --start is for a part of a scenario, and without --nodes all of it runs here$'
run 2 --clock real --wait-parts 1s
has err '^quench run: --wait-parts is for a part of a scenario, and without --nodes '
run 2 --clock real --nodes h1 --start now --wait-parts 1s
has err '^quench run: --wait-parts: with --start now nobody is waited for$'
# A device: judged by our ports, and perhaps by its own counters.
run 0 --dut s1
run 2 --dut s9
has err "^--dut: there is no node 's9'; did you mean 's1'\?$"
run 2 --dut s1 --counters before.json
has err "^quench run: --counters 'before.json': two files"
run 2 --dut s1 --counters before.json,after.json
has err '^before.json: No such file or directory$'
run 2 --counters before.json,after.json
has err '^quench run: --counters is of the device that --dut names; add --dut$'
# An expectation that only the device can tell: a line before the run, and with --strict status 3.
first=$scenario
scenario=$2/verify/pfc-counters/test_fc_pause.yaml
one='expect=[{figure: "port.s1:r.pause_rx_frames", equals: 10}]'
run 0 --dut s1 --set "$one"
has err '^warning: .*port.s1:r.pause_rx_frames will not be judged: only the device counts '
[ "$(wc -l <err)" -eq 1 ] || complain 'more than one line about one expectation'
run 3 --dut s1 --strict --set "$one"
pauses() { # FILE PORT FRAMES
	echo "{\"$2\": {\"SAI_PORT_STAT_PAUSE_RX_PKTS\": $3}}" >"$1"
}
pauses before.json s1:r 7
pauses after.json s1:r 6
run 2 --dut s1 --counters before.json,after.json
has err '^after.json: SAI_PORT_STAT_PAUSE_RX_PKTS of s1:r fell from 7 to 6; '
pauses other.json Ethernet0 7
run 2 --dut s1 --counters other.json,other.json
has err "^other.json: the counters are of another device: there is no port 's1:r'; "
pauses after.json s1:r 17
run 0 --dut s1 --strict --set "$one" --counters before.json,after.json
scenario=$first
# The key of parts: a file for its owner alone, with something in it.
key() { # PATTERN
	run 2 --clock real --nodes h1 --parts-key key
	has err "$1"
}
key '^quench run: --parts-key key: No such file or directory$'
(umask 077 && printf '\r\n' >key)
key '^quench run: --parts-key key: it is empty; a key has 1 to 1024 bytes, as .*rand'
head -c 1025 /dev/zero >key
key '^quench run: --parts-key key: it is too long; a key has 1 to 1024 bytes'
(head -c 1024 /dev/zero && printf '\r\n') >key
key ': port h1:s1: .* is not among --nodes'
echo x >key
chmod 640 key
key '^quench run: --parts-key key: others than its owner may use this file .mode 640.; chmod 600 '
chmod 600 key
key ': port h1:s1: .* is not among --nodes'
rm key
mkdir -m 700 key
key '^quench run: --parts-key key: Is a directory$'
rmdir key
run 2 --clock real --parts-key <(echo x)
has err '^quench run: --parts-key is for a part of a scenario, and without --nodes '
run 2 --clock real --nodes h1 --start now --parts-key <(echo x)
has err '^quench run: --parts-key: with --start now no part says hello$'
"$quench" run '' >out 2>err
has err 'the name of a scenario is empty; .*--list'
"$quench" run "$deep/$deep/$deep/$deep" >out 2>err
has err ' \.\.\. .*: File name too long$'
# Of a file with a long name so much as a folder takes.
cp "$scenario" "$(printf 'y%.0s' {1..250}).yaml"
"$quench" run y*.yaml --quiet --duration 200us --set warmup=0us >out 2>err ||
	complain "a scenario with a long name of its file does not run"
mkdir bin
printf '#!/bin/sh\necho drawn >sweep.svg\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH "$quench" sweep "$scenario" --duration 200us --set warmup=0us \
	--out "$deep/sweep" --plot jain,drops >out 2>err ||
	complain "a sweep with a long --out fails"
[ -s "$deep/sweep/sweep.csv" -a -s "$deep/sweep/sweep.gp" -a -s "$deep/sweep/sweep.svg" ] ||
	complain "a sweep's long --out is cut"

# A default folder that is taken is followed by the next; one that was asked for is refused.
latest() {
	[ "$(readlink runs/latest)" = "$1" ] ||
		complain "runs/latest points to $(readlink runs/latest), $1 is right"
}

rm -r runs
for folder in first-light-virtual-1 first-light-virtual-1.2 first-light-virtual-1.3; do
	run 0
	has out "results     runs/$folder/$"
	[ -s "runs/$folder/summary.json" ] || complain "runs/$folder is missing"
	latest $folder
done
run 0 --seed 2
latest first-light-virtual-2
run 2 --out runs/first-light-virtual-1
has err 'runs/first-light-virtual-1: not empty; --force'
latest first-light-virtual-2
run 0 --force
has out 'results     runs/first-light-virtual-1/$'
latest first-light-virtual-1
run 0 --out runs/mine
latest mine
run 0 --out elsewhere
latest mine
run 0 --out runs/latest --force
latest mine
rm runs/latest
mkdir runs/latest
run 0
[ -d runs/latest -a ! -L runs/latest ] || complain "a folder runs/latest of the user's own is gone"
[ -z "$(ls -A runs/latest)" ] || complain "something was left in runs/latest"

# --record is the scenario's block `record`; commas in brackets part nothing.
run 0 --out recorded --record 'events=[mark,drop],series=no,rate={mark: 5,drop: 6}'
has recorded/manifest.json '"events": \["mark", "drop"\],'
has recorded/manifest.json '"series": false,'
has recorded/manifest.json '"rate": \{"mark": 5, "drop": 6\}'
run 2 --out wrong --record events
has err "run: --record 'events': key=value,key=value, as in --record events=none,flows=summary"
run 2 --out wrong --record 'events=none,'
has err "run: --record 'events=none,': key=value"
run 2 --out wrong --record events=marks
has err "--set record.events=marks: events: there is no type .* did you mean 'mark'"
exit $fail
