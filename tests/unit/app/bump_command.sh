#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench bump: the scenarios that it writes are right, and wrong options get one
# line each.
# usage: bump_command.sh QUENCH
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "bump_command: $1"
	cat out log
	exit 1
}

# shown COMMAND ARGUMENT...: what it shows is a scenario without warnings
shown()
{
	"$quench" "$@" --show >out 2>log || fail "$*"
	"$quench" check out >log 2>&1 || fail "$*: the scenario is wrong"
	! grep -q 'warning' log || fail "$*: the scenario has warnings"
}

says()
{
	grep -qF -- "$1" out || fail "no line has: $1"
}

# refused WORDS COMMAND ARGUMENT...: exit status 2, and one line with the words
refused()
{
	words=$1
	shift
	status=0
	"$quench" "$@" >out 2>log || status=$?
	[ $status -eq 2 ] && [ "$(wc -l <log)" -eq 1 ] && grep -qF -- "$words" log ||
		fail "$*: status $status, not: $words"
}

shown bump net_null0 net_null1 --speed 25G
says 'pfc: {xoff: 200KB, headroom: 1MB}'
says 'wred: {min: 50KB, max: 150KB, probability: 10%}'
says 's1:b: {device: "net_null1"}'
shown bump net_null0 net_null1 --speed 100G --kmin 100KB --kmax 400KB --pmax 1% --xoff 500KB \
	--class 4 --dscp 34 --headroom auto --for 5s
says 'wred: {min: 100KB, max: 400KB, probability: 1%}'
says 'dscp_map: {34: 4, 48: 6}'
shown bump net_null0 net_null1 --speed 25G --dscp 48
says 'dscp_map: {48: 3}'
refused 'name two ports' bump net_null0
refused 'net_null0 stands twice' bump net_null0 net_null0 --speed 10G
refused 'nosuch0: there is no such interface' bump net_null0 nosuch0 --speed 10G
refused '--kmin 400KB is above --kmax 150KB' bump net_null0 net_null1 --speed 10G --kmin 400KB
refused '--xoff 12Gb: write a size' bump net_null0 net_null1 --speed 10G --xoff 12Gb
refused '--pmax 110%: write a share' bump net_null0 net_null1 --speed 10G --pmax 110%
refused '--xoff 3GB: 3GB is out of range' bump net_null0 net_null1 --speed 10G --xoff 3GB
refused "--buffer 100KB: switch 's1': reserved" bump net_null0 net_null1 --speed 10G --buffer 100KB
