#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench events` as a user sees it: the bytes of events.csv out of the binary form of the same run,
# a table, JSON, counts, selections, and the message for each bad input. The Python lines of the
# page read the file, too.
# usage: events_command.sh QUENCH SOURCE_ROOT
set -u
root=$2
. "$(dirname "$0")/says.sh"

# says STATUS STDOUT-PATTERN STDERR-PATTERN ARGUMENT...
says() {
	judge "$1" "$2" "$3" events "${@:4}"
	[ "$(wc -l <err)" -le 1 ] || complain "$*: one line is wanted"
}

# lines N: of the last answer
lines() {
	[ "$(wc -l <out)" -eq "$1" ] || complain "$1 lines are wanted"
}

for scenario in first-light slow-receiver qcn-step; do
	for form in csv zstd none; do
		case $form in
		csv) as=format=csv ;;
		*) as=format=binary,compress=$form ;;
		esac
		"$quench" run "$root/config/$scenario.yaml" --duration 3ms --set warmup=1ms \
			--record "$as" --out "$scenario.$form" --quiet ||
			complain "$scenario as $form does not run"
	done
	[ "$(wc -l <$scenario.csv/events.csv)" -gt 100 ] ||
		complain "$scenario has few events"
	for form in zstd none; do
		[ ! -e $scenario.$form/events.csv ] ||
			complain "$scenario: $form has events.csv too"
		"$quench" events $scenario.$form --csv >out 2>err ||
			complain "$scenario.$form cannot be read"
		cmp -s out $scenario.csv/events.csv ||
			complain "$scenario: $form is not what events.csv has"
		diff -rq -x 'events.*' -x manifest.json $scenario.csv $scenario.$form ||
			complain "$scenario: $form differs in another file"
	done
done
bytes_of() {
	stat -c %s "first-light.$1/events.bin"
}
[ "$(bytes_of none)" -gt "$(bytes_of zstd)" ] ||
	complain "zstd saves nothing"

csv=first-light.csv/events.csv
bin=first-light.zstd/events.bin
of_type() {
	awk -F, -v type="$1" 'NR > 1 && $2 == type' $csv
}

marks=$(of_type mark | wc -l)
says 0 '^ +time us  event ' '' $bin
lines "$(wc -l <$csv)"
has '  mark +s1:r +3  incast\[h[0-9]>r.0\]  queue [0-9]+ bytes  psn [0-9]+$' out table
has '  rp +h[0-9]:s1 +-  incast.*  decrease  rc [0-9.]+ Gb/s  rt [0-9.]+ Gb/s  alpha [01]' out \
	table
says 0 '  mark  ' '' $bin --type mark
lines $((marks + 1))
says 0 "^mark +$marks$" '' $bin --type mark --count
lines 2
says 0 "^all +$(($(wc -l <$csv) - 1))$" '' $bin --count
says 0 '^time_us,event' '' $bin --csv -t mark,cnp_rx
{ head -n 1 $csv; awk -F, '$2 == "mark" || $2 == "cnp_rx"' $csv; } | cmp -s - out ||
	complain "--type mark,cnp_rx is not those lines of events.csv"
says 0 '^time_us,event' '' $bin --csv --from 1.5ms --to 2ms
awk -F, 'NR == 1 || ($1 >= 1500 && $1 < 2000)' $csv | cmp -s - out ||
	complain "--from and --to are not those lines of events.csv"
says 0 '^time_us,event' '' $bin --csv --from 1.5ms --type msg_done
{ head -n 1 $csv; of_type msg_done | awk -F, '$1 >= 1500'; } | cmp -s - out ||
	complain "messages are not numbered as in events.csv"
says 0 '^time_us,event' '' $bin --csv --object s1:r
awk -F, 'NR == 1 || $3 == "s1:r"' $csv | cmp -s - out || complain "--object s1:r"
flow=$(of_type mark | head -n 1 | cut -d, -f5)
says 0 '^time_us,event' '' $bin --csv --flow "$flow"
awk -F, -v flow="$flow" 'NR == 1 || $5 == flow' $csv | cmp -s - out || complain "--flow $flow"
says 0 '^time_us,event' '' $bin --csv --flow incast
awk -F, 'NR == 1 || $5 != ""' $csv | cmp -s - out || complain "--flow incast"
says 0 '^\{"time_us": [0-9.]+, "event": "mark", "object": "s1:r", "class": 3, "flow"' '' $bin \
	--json -t mark
lines "$marks"
python3 - out $csv <<'END' || complain "JSON is not what events.csv has"
import csv, json, sys
rows = [r for r in csv.DictReader(open(sys.argv[2])) if r["event"] == "mark"]
for row, line in zip(rows, open(sys.argv[1]), strict=True):
    seen = json.loads(line)
    assert all(float(row[k]) == seen[k] for k in ("time_us", "class", "queue_bytes", "psn"))
    assert all(row[k] == seen[k] for k in ("event", "object", "flow"))
END
says 0 '"begun": [0-9]+, "posted": [0-9]+' '' $bin --json -t msg_done
says 0 'examples:' '' --help

# A file that an earlier program wrote.
says 0 '^all +726$' '' "$root/tests/data/events.bin" --count

# A file that ends early, and one with a byte that is wrong.
head -c -1000 $bin >cut.bin
says 2 '^all +[0-9]+$' 'cut.bin: it has no end, as after a crash or on a full disk: [0-9]+ events' \
	cut.bin --count
cp first-light.none/events.bin bad.bin
start=$(python3 -c 'import struct
data = open("bad.bin", "rb").read()
print(16 + struct.unpack_from("<I", data, 12)[0])')
printf '\377' | dd of=bad.bin bs=1 seek=$((start + 40 + 14)) conv=notrunc 2>/dev/null
says 2 '^all' 'bad.bin: block 1, at byte [0-9]+, is broken: it is not what its head says' \
	bad.bin --count

says 2 '' 'one file of events or run folder is wanted'
says 2 '' 'No such file or directory' nowhere
mkdir bare
says 2 '' 'bare/events.bin: No such file or directory; a run has it with' bare
says 2 '' 'first-light.csv/events.csv: the events of this run are text already; a run has' \
	first-light.csv
says 2 '' 'events.csv: not a record of events in the binary form' $csv
says 2 '' "there is no type of event 'makr' in the file; did you mean 'mark'\?" $bin -t makr
says 2 '' "there is no port 's1:rr' in the file; did you mean 's1:r'\?" $bin --object s1:rr
says 2 '' "there is no flow 'incats' in the file; did you mean 'incast'\?" $bin --flow incats
says 2 '' "--from '5': a time" $bin --from 5
says 2 '' 'to is not later than --from' $bin --from 2ms --to 1ms
says 2 '' '--csv, --json or --count, one of them' $bin --csv --json

# A reader that goes away ends it, with one line.
"$quench" events first-light.none --csv 2>err | head -n 1 >out
[ "$(wc -l <err)" -le 1 ] || complain "a closed pipe: one line is wanted"

# The page.
sed -n '/^```python$/,/^```$/p' "$root/docs/formats.md" | sed '1d;$d' >page.py
for form in none zstd; do
	[ $form = none ] || command -v zstd >/dev/null || continue
	python3 page.py first-light.$form/events.bin >out 2>err || complain "the page's lines fail"
	lines $(($(wc -l <$csv) - 1))
	[ "$(grep -c ' mark s1:r ' out)" -eq "$(of_type mark | grep -c s1:r)" ] ||
		complain "the page's lines have other marks"
done
exit $fail
