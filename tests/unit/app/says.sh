# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests of commands: a folder of their own, in which they run, and a judge of a
# command's output. A test whose first argument is the program sources this file; `fail` is its exit
# status.
# shellcheck shell=bash
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "$(basename "$0" .sh): $1"
	[ ! -s out ] || head -n 5 out
	[ ! -s err ] || head -n 5 err
	fail=1
}

# judge STATUS STDOUT-PATTERN STDERR-PATTERN COMMAND ARGUMENT...; an empty pattern: nothing is
# written there. `input` names the file that it reads.
judge() {
	local status=$1 out=$2 err=$3
	shift 3
	"$quench" "$@" >out 2>err <"${input:-/dev/null}"
	local got=$?
	[ $got -eq "$status" ] || complain "$*: exit status $got, $status is right"
	has "$out" out "$*"
	has "$err" err "$*"
}

# has PATTERN FILE COMMAND
has() {
	if [ -z "$1" ]; then
		[ ! -s "$2" ] || complain "$3: $2 is not empty"
	else
		grep -qE -- "$1" "$2" || complain "$3: $2 lacks '$1'"
	fi
}
