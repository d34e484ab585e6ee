#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench merge: folders that are no parts of one run are refused with one line.
# tests/driver/app/part_command.sh tests the merged folder.
# usage: merge_command.sh QUENCH
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "merge_command: $*"
	cat log
	exit 1
}

refused()
{
	want=$1
	shift
	status=0
	"$quench" merge "$@" >log 2>&1 || status=$?
	[ $status = 2 ] || fail "$*: exit status $status"
	grep -qF -- "$want" log || fail "$*: nothing says '$want'"
	[ "$(wc -l <log)" = 1 ] || fail "$*: more than a line"
}

"$quench" run first-light --duration 200us --set warmup=0us --set drain=0us --quiet --out whole \
	>log 2>&1 || fail "the run fails"
mkdir empty
status=0
"$quench" merge >log 2>&1 || status=$?
[ $status = 2 ] && grep -q "name the folders of all parts of a run" log ||
	fail "without a folder: exit status $status"
refused "nowhere: No such file or directory; give the folder of a run" nowhere
refused "empty: no folder of a run" empty
refused "whole: the folder of a whole run; those of parts, by \`quench run --nodes\`, are" whole
refused "--out whole/../whole: this is the folder of a part; give another" whole \
	--out whole/../whole --force
refused "there is no option '--sorted'" whole --sorted
[ -s whole/summary.json ] || fail "a refused merge has taken a folder"
[ ! -e runs ] || fail "a refused merge has made a folder"
