#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# SIGINT on the real clock, over links in memory: senders finish their messages first, for a bounded
# time, and a second one ends the run at once. Needs neither root nor hugepages.
# usage: rt_quiesce.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
pid=''
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true; rm -rf "$out"' EXIT

fail() { # RUN TEXT
	echo "FAILED: $1: $2"
	cat "$out/$1.log"
	exit 1
}

until_holds() { # RUN COMMAND...
	until "${@:2}" 2>/dev/null; do
		kill -0 "$pid" 2>/dev/null || fail "$1" "it ended before: ${*:2}"
		sleep 0.02
	done
}

# Four queue pairs have done a message each.
is_busy() { # RUN
	"$quench" stats --instance "quiesce-$1-$$" --json 'flow.*.message_complete_rx' |
		python3 -c 'import json, sys
values = json.loads(sys.stdin.readline())["metrics"].values()
sys.exit(sum(v > 0 for v in values) < 4)'
}

begin() { # RUN OPTION...
	env --default-signal "$quench" run tests/live/rt_quiesce.yaml --clock real --no-huge \
		--out "$out/$1" --instance "quiesce-$1-$$" "${@:2}" >"$out/$1.log" 2>&1 &
	pid=$!
	until_holds "$1" is_busy "$1"
}

# Ends with a status; messages are whole, or some are not.
judge() { # RUN STATUS whole|cut
	local code=0
	wait "$pid" || code=$?
	pid=''
	[ "$code" = "$2" ] || fail "$1" "exit status $code, $2 is right"
	python3 - "$out/$1/summary.json" "$3" <<'END' || fail "$1" "its messages are not right"
import json
import sys

summary = json.load(open(sys.argv[1]))
flows = summary["flows"]
assert summary["interrupted"] is True
assert len(flows) == 5 and all(f["message_complete_rx"] > 0 for f in flows[:4])
cut = [f["flow_name"] for f in flows
       if f["frame_delta"] or f["message_tx"] != f["message_complete_rx"]]
assert bool(cut) == (sys.argv[2] == "cut"), cut
END
}

said='interrupted: senders finish their messages, at most'

begin whole --quiesce 100s --set flows.long.start=none
kill -INT "$pid"
judge whole 130 whole
grep -q "$said 100 s; once more ends at once" "$out/whole.log" || fail whole "it says nothing"
grep -q '0 still on links' "$out/whole.log" || fail whole "frames are on links"

# The flow `long` has hours to go.
begin twice --quiesce 100000s
kill -INT "$pid"
until_holds twice grep -q "$said" "$out/twice.log"
kill -INT "$pid"
judge twice 130 cut

begin bounded --quiesce 100ms
kill -INT "$pid"
judge bounded 130 cut

begin none --quiesce 0
kill -INT "$pid"
judge none 130 cut
! grep -q "$said" "$out/none.log" || fail none "it waits"

begin term
kill -TERM "$pid"
judge term 143 cut
! grep -q "$said" "$out/term.log" || fail term "it waits"
echo "ok: SIGINT lets senders finish"
