#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `warmup: auto` as a user sees it: the value that a first pass finds, the same bytes as with that
# value, a sweep, and refusals.
# usage: warmup_command.sh QUENCH
set -u
. "$(dirname "$0")/says.sh"

# Endless messages: PFC alone holds the queue, from the first round trips on.
cat >steady.yaml <<'END'
duration: 10ms
warmup: auto
switches: {s1: {classes: {3: {lossless: true, pfc: {xoff: 100KB}}}}}
hosts: {h1..4: , r: }
links: [{between: [[h1..4, r], s1], rate: 25Gbps, delay: 1us}]
flows: {f: {from: h1..4, to: r, class: 3}}
END

# The files of two folders are the same, but for the part of the manifest about this machine.
same() {
	for file in "$1"/*; do
		local name=${file##*/}
		if [ "$name" = manifest.json ]; then
			python3 - "$file" "$2/$name" <<-'END' || complain "$name differs"
				import json, sys
				a, b = (json.load(open(f)) for f in sys.argv[1:])
				del a["here"], b["here"]
				sys.exit(a != b)
			END
		else
			cmp -s "$file" "$2/$name" || complain "$name differs"
		fi
	done
}

auto=(--set warmup=auto)

# gives SCENARIO PASS: the same as with the value that is told. The pass lasts as long as PASS says.
gives() {
	judge 0 'figures from [1-9][0-9.]* ms to ' "^warmup: auto .*, by a first pass of $2 in v" \
		run "$1" "${auto[@]}" --out "found-$1"
	value=$(sed -n 's/.*warmup: auto is \([^,]*\),.*/\1/p' err)
	judge 0 'figures from' '' run "$1" --set warmup="$value" --out "given-$1"
	same "found-$1" "given-$1"
	judge 0 '' '' run "$1" "${auto[@]}" --quiet --out "quiet-$1"
	same "found-$1" "quiet-$1"
	grep -q '"verdict": "settled"' "found-$1/summary.json" || complain "$1 has not settled"
}
gives victim 5ms                 # a quarter
gives iqcn-long-path '.*whole.*' # the first half is even: the second one is not like it
gives connectx '.*whole.*'

# A row of a sweep is what the run alone is.
judge 0 'auto .* ok$' '' sweep connectx --vary warmup=auto,"$value" --out sweep
[ "$(sed 's/,auto,/,X,/;'"s/,$value,/,X,/" sweep/sweep.csv | sort -u | wc -l)" = 2 ] ||
	complain "a sweep finds another warm-up"

# A flow that starts late in the first half belongs to the start; one in the second half does not.
flow='flows.g={from: h1, to: r, class: 3, start'
judge 0 'figures from [3-5]\.[0-9]* ms' 'warmup: auto is' run steady.yaml \
	--set "$flow: 3ms}" --out late
none='because no run of this scenario settles: a flow starts'
judge 0 'figures from 0.0 us' "auto is 0[a-z]*, $none" run steady.yaml --set "$flow: 7ms}" \
	--out later

# The real clock has nothing to go by where a host is external.
judge 2 '' 'warmup: auto needs a first pass in virtual time, which tells nothing of srv: ' run \
	external --clock real "${auto[@]}" --set ports.s1:srv.device=net_ring0
exit $fail
