#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The compiler of Protocol Buffers reads what quench trace writes: every packet decodes, no field is
# unknown, slices balance, and events are counted as in events.csv.
# usage: protoc.sh QUENCH SOURCE_ROOT
set -eu
quench=$(realpath "$1")
root=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

decode() {
	protoc --proto_path="$root/tests/field" --decode=quench.Trace pftrace.proto <"$1" >"$2"
}

# Fields whose names are numbers are unknown.
unknown() {
	grep -m 3 -E '^ *[0-9]+(:| \{)' "$1"
}

for scenario in first-light hol-blocking storm-watchdog deadlock-ring qcn-step timely; do
	"$quench" run "$root/config/$scenario.yaml" --quiet --out $scenario --duration 4ms \
		--set warmup=1ms --record 'events=[all,xoff_holder,rp_alpha]' 2>log ||
		{ cat log; exit 1; }
	"$quench" trace $scenario -o trace
	decode trace text
	! unknown text || { echo "$scenario: unknown fields"; exit 1; }
	begins=$(grep -c 'type: BEGIN' text)
	[ "$begins" -eq "$(grep -c 'type: END' text)" ] ||
		{ echo "$scenario: slices do not balance"; exit 1; }
	# The text has a category's name where it is first said, and its number from then on.
	python3 - text $scenario/events.csv <<'END'
import collections
import csv
import re
import sys

names, seen, ends, inside = {}, collections.Counter(), 0, ""
number = None
for line in open(sys.argv[1]):
    word = line.strip()
    if word.endswith("{"):
        inside = word[:-2]
    elif inside == "category" and word.startswith("number: "):
        number = int(word[8:])
    elif inside == "category" and word.startswith("text: "):
        text = word[7:-1]
        assert names.setdefault(number, text) == text
    elif re.match("category: ", word):
        seen[names[int(word[10:])]] += 1
rows = collections.Counter(r["event"] for r in csv.DictReader(open(sys.argv[2])))
for t in ("resume_rx", "pfcwd_restore", "deadlock_end", "rp_alpha", "rtt"):
    rows.pop(t, None)  # ends of slices, and values of counters
for t in ("run", "missing", "resume_rx"):
    seen.pop(t, None)
assert seen == rows, f"{seen} in the trace, {rows} in events.csv"
print(sum(seen.values()), "events")
END
done

# It is sharp: a field that the description lacks is seen, and a file that is cut does not decode.
cp trace more
printf '\012\004\120\001\170\005' >>more
decode more text
unknown text >/dev/null || { echo "protoc tells no unknown field"; exit 1; }
head -c -3 trace >cut
if decode cut text 2>log; then
	echo "protoc takes a trace that is cut"
	exit 1
fi
