#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench trace` as a user sees it: a trace that has each event of events.csv once, the same from
# both forms of the record, a part of it, its gaps, and the message for each bad input.
# usage: trace_command.sh QUENCH SOURCE_ROOT
set -u
root=$2
. "$(dirname "$0")/says.sh"

# says STATUS STDOUT-PATTERN STDERR-PATTERN ARGUMENT...
says() {
	judge "$1" "$2" "$3" trace "${@:4}"
}

# run SCENARIO FOLDER ARGUMENT...
run() {
	"$quench" run "$root/config/$1.yaml" --quiet --out "$2" "${@:3}" >out 2>err ||
		complain "$1 does not run"
}

# counts TRACE EVENTS [MOST]: the trace holds them
counts() {
	python3 "$root/tests/unit/app/trace_counts.py" "$@" >out 2>err || complain "$1: counts"
}

# Of all kinds: CNPs and cuts, XOFF upstream, a storm, a deadlock, CNMs, drops, RTTs, messages.
short=(--duration 4ms --set warmup=1ms)
holders="--record events=[all,xoff_holder,rp_alpha]"
for scenario in first-light hol-blocking storm-watchdog deadlock-ring qcn-step wred timely \
	leaf-spine; do
	# shellcheck disable=SC2086 # two words
	run $scenario $scenario "${short[@]}" $holders
	line="^$scenario/$scenario.pftrace: [0-9]+ events, [0-9]+ arrows, [0-9]+ bytes;"
	says 0 "$line instants are rounded down to ns$" '' $scenario
	[ "$(sed 's/.*: \([0-9]*\) events.*/\1/' out)" -eq \
		$(($(wc -l <$scenario/events.csv) - 1)) ] ||
		complain "$scenario: the last line has another number of events"
	counts $scenario/$scenario.pftrace $scenario/events.csv
done

# The binary form gives the same, and so does a second time.
run first-light binary "${short[@]}" \
	--record 'format=binary,events=[all,xoff_holder,rp_alpha]'
says 0 'events' '' binary -o binary.pftrace
cmp -s binary.pftrace first-light/first-light.pftrace || complain "events.bin gives another trace"
says 0 'events' '' binary --out again.pftrace
cmp -s binary.pftrace again.pftrace || complain "the second time gives another trace"

# An event takes 40 bytes at most where there are some.
run incast-8to1-100g many --record series=false
says 0 'events' 'timeseries' many
counts many/*.pftrace many/events.csv 40

# The newest run, where none is named.
says 2 '' 'runs/latest: .*give the folder of a run'
run first-light runs/here --duration 1ms
says 0 '^runs/latest/first-light.pftrace: ' '' --to 500us

# A part.
says 0 ': [1-9][0-9]* events' '' first-light --from 1.5ms --to 2ms -o part.pftrace
part=$(sed 's/.*: \([0-9]*\) events.*/\1/' out)
between=$(awk -F, '$1 >= 1500 && $1 < 2000' first-light/events.csv | wc -l)
[ "$part" -ge "$between" ] && [ "$part" -le $((between + 20)) ] ||
	complain "--from and --to show $part events, $between are between them"

# Without xoff_holder a line says what is missing.
run hol-blocking plain "${short[@]}"
says 0 'events' '^plain: xoff_holder is not recorded, so no arrows lead from XOFF to XOFF' plain
[ "$(wc -l <err)" -eq 1 ] || complain "one line is wanted"
python3 - plain/hol-blocking.pftrace "$root/tests/unit/app" <<'END' || complain "not in the trace"
import sys
sys.path.insert(0, sys.argv[2])
import pftrace
trace = pftrace.Trace(open(sys.argv[1], "rb").read())
assert sum(e.category == "missing" and "xoff_holder" in e.name for e in trace.all()) == 1
assert sum("rounded down to ns" in e.name for e in trace.all()) == 1
END

# A folder with pieces that are missing or broken: the rest is shown.
cp -r first-light broken
rm broken/*.pftrace broken/timeseries.csv broken/fct.txt broken/summary.json
head -c 20000 first-light/events.csv >broken/events.csv
says 0 '^broken/first-light.pftrace: [1-9][0-9]* events' 'summary.json is missing' broken
has 'timeseries.csv' err broken
has 'events.csv ends within line' err broken
sed -i '$d' broken/events.csv
counts broken/first-light.pftrace broken/events.csv
rm broken/events.csv
says 0 ' 0 events, 0 arrows' 'record of events .* is missing' broken

mkdir empty
says 2 '' 'empty: no folder of a run' empty
says 2 '' 'nowhere: No such file or directory' nowhere
says 2 '' 'events.csv: Not a directory' first-light/events.csv
says 2 '' '/nowhere/t.pftrace: cannot be written' first-light -o /nowhere/t.pftrace
says 2 '' '/dev/full: incomplete' first-light -o /dev/full
says 2 '' 'to is not later than --from' first-light --from 2ms --to 1ms
says 2 '' 'one folder of a run is wanted' first-light binary
says 0 'examples:' '' --help
exit $fail
