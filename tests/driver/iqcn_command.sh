#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench iqcn against a running instance, from process to process: the flows that it lists and how
# it ends.
# usage: iqcn_command.sh QUENCH HERE
set -eu
quench=$1
here=$2
dir=$(mktemp -d)
name=iqcn-command-$$
"$quench" run "$here/rt_iqcn.yaml" --clock real --dilate 20 --no-huge --quiet --instance $name \
	--out "$dir/run" \
	--set duration=2s >"$dir/log" 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null || true; wait $pid 2>/dev/null || true; rm -rf "$dir"' EXIT

fail()
{
	echo "iqcn_command: $*"
	cat "$dir/log"
	exit 1
}

iqcn()
{
	"$quench" iqcn "$@" --instance $name
}

# What a command prints has so many lines as this pattern says.
prints()
{
	count=$1
	pattern=$2
	shift 2
	iqcn "$@" >"$dir/out" 2>&1 || true
	[ "$(grep -c "$pattern" "$dir/out")" = "$count" ] || {
		cat "$dir/out"
		fail "iqcn $* does not print '$pattern' $count times"
	}
}

# Flows are known from their first CNP on.
tries=0
until iqcn s1 >"$dir/out" 2>&1 && grep -q '^s1: 3 of 65536 flows known' "$dir/out"; do
	tries=$((tries + 1))
	[ $tries -lt 2000 ] && kill -0 $pid ||
		{ cat "$dir/out"; fail "the flows do not become known"; }
done
prints 1 "^instance $name (pid $pid), scenario rt-iqcn" s1
prints 3 '^  s1:r  *10\.0\.0\.[123]  *10\.0\.0\.4  *[0-9]*  *[0-9.]*  *[0-9]*  *[0-9.]*$' s1
prints 1 '^s1: 3 of 65536 flows known$'
prints 1 '^quench iqcn: s2 has no flow table: a class of a switch with iqcn brings it$' s2
prints 1 "^quench iqcn: the scene has no node 'nowhere'" nowhere
prints 1 '^quench iqcn: name one switch, or none' s1 s2
iqcn nowhere >/dev/null 2>&1 && fail "a bad name ends well"
kill -INT $pid
status=0
wait $pid || status=$?
[ $status -eq 130 ] || fail "SIGINT: exit status $status, 130 is right"
[ "$(wc -l <"$dir/run/iqcn.csv")" = 4 ] || fail "the run folder does not have the three flows"
