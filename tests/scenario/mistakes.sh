#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Common mistakes, a scenario each in mistakes/: `quench check` warns of them, or the table of a run
# shows their effect. Comments of a scenario name the expected lines: `check:` is a warning, `checks
# nothing` says that there is none, `run:` is in the table, `lacks:` is not, and `exit:` is the
# run's status.
# usage: mistakes.sh QUENCH FOLDER
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

complain() { # WHAT FILE
	echo "mistakes.sh: $1"
	cat "$2"
	failed=1
}

for f in "$2"/*.yaml; do
	"$quench" check "$f" | grep '^warning: ' >"$dir/check" || true
	status=0
	"$quench" run "$f" --force --out "$dir/out" >"$dir/run" 2>"$dir/err" || status=$?
	sed -n 's/^# check: //p' "$f" >"$dir/want"
	while read -r want; do
		grep -qE -- "$want" "$dir/check" || complain "$f: check lacks '$want'" "$dir/check"
	done <"$dir/want"
	if grep -q '^# checks nothing' "$f" && [ -s "$dir/check" ]; then
		complain "$f: a warning where nothing is wrong" "$dir/check"
	fi
	sed -n 's/^# run: //p' "$f" >"$dir/want"
	while read -r want; do
		grep -qE -- "$want" "$dir/run" || complain "$f: the run lacks '$want'" "$dir/run"
	done <"$dir/want"
	sed -n 's/^# lacks: //p' "$f" >"$dir/want"
	while read -r want; do
		! grep -qE -- "$want" "$dir/run" || complain "$f: the run has '$want'" "$dir/run"
	done <"$dir/want"
	expected=$(sed -n 's/^# exit: //p' "$f")
	[ "$status" = "${expected:-0}" ] || complain "$f: ended with $status" "$dir/run"
done
exit $failed
