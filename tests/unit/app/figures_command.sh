#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `quench figures` as a user sees it: kinds, the figures of one, a page, the schema, and the message
# for an unknown kind.
# usage: figures_command.sh QUENCH
set -u
quench=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail=0

complain() {
	echo "figures_command: $*"
	cat "$dir/out" "$dir/err"
	fail=1
}

# says STATUS TEXT ARGUMENT...: the answer, on one line or the other, has the text
says() {
	want=$1
	text=$2
	shift 2
	"$quench" figures "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status -eq "$want" ] || complain "status $status, not $want: figures $*"
	cat "$dir/out" "$dir/err" | grep -qF -- "$text" || complain "no '$text': figures $*"
}

says 0 '  queue        s1:r.3                 Egress queues'
says 0 '  p99_bytes               bytes   length that it exceeded 1 % of the time' queue
says 0 'Switches with iQCN: iqcn.s1.FIGURE' iqcn
says 0 '| `p99_bytes` | bytes | length that it exceeded 1 % of the time |' --markdown
says 0 '"title": "summary.json of quench"' --schema
says 2 "quench figures: there is no kind 'queye'; did you mean 'queue'?" queye
says 2 'name one kind, or none' queue flow
[ "$(COLUMNS=60 "$quench" figures pause 2>/dev/null | wc -l)" -eq 0 ] || complain "pause is none"
widest=$(COLUMNS=70 "$quench" figures pfc | awk '{ if (length > n) n = length } END { print n }')
[ "$widest" -le 70 ] || complain "$widest columns in 70"
exit $fail
