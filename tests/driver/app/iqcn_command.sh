#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench iqcn against a running instance, from process to process: the flows that it lists and how
# it ends. A second instance has its switch on two lcores, so that two shards have a table each.
# usage: iqcn_command.sh QUENCH HERE
set -eu
quench=$1
here=$2
dir=$(mktemp -d)
name=iqcn-command-$$
pid=

gone()
{
	[ -z "$pid" ] || { kill $pid 2>/dev/null && wait $pid 2>/dev/null; } || true
	rm -rf "$dir"
}
trap gone EXIT

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

# Exactly COUNT lines of a command's output match this pattern.
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

# Runs an instance of file $1 with the options that are left, until the switch knows $2 flows of $3.
start()
{
	file=$1
	known="$2 of $3 flows known"
	shift 3
	"$quench" run "$file" --clock real --quiesce 0 --dilate 20 --no-huge --quiet \
		--instance $name --out "$dir/run" --force --set duration=1000s "$@" \
		>"$dir/log" 2>&1 &
	pid=$!
	tries=0
	until iqcn s1 >"$dir/out" 2>&1 && grep -q "^s1: $known" "$dir/out"; do
		tries=$((tries + 1))
		[ $tries -lt 2000 ] && kill -0 $pid ||
			{ cat "$dir/out"; fail "the flows do not become known: $known"; }
	done
}

# The run is told to end; its folder has so many flows.
stop()
{
	kill -INT $pid
	status=0
	wait $pid || status=$?
	pid=
	[ $status -eq 130 ] || fail "SIGINT: exit status $status, 130 is right"
	[ "$(wc -l <"$dir/run/iqcn.csv")" = $(($1 + 1)) ] ||
		fail "the run folder does not have $1 flows"
}

# Flows are known from their first CNP on.
start "$here/iqcn.yaml" 3 65536
prints 1 "^instance $name (pid $pid), scenario rt-iqcn" s1
prints 3 '^  s1:r  *10\.0\.0\.[123]  *10\.0\.0\.4  *[0-9]*  *[0-9.]*  *[0-9]*  *[0-9.]*$' s1
prints 1 '^s1: 3 of 65536 flows known$'
prints 1 '^quench iqcn: s2 has no flow table: a class of a switch with iqcn brings it$' s2
prints 1 "^quench iqcn: the scene has no node 'nowhere'" nowhere
prints 1 '^quench iqcn: name one switch, or none' s1 s2
iqcn nowhere >/dev/null 2>&1 && fail "a bad name ends well"
stop 3

# Two more flows go to h1, whose port is the first shard's; that of r is the second one's.
cp "$here/iqcn.yaml" "$dir/two.yaml"
echo '  back: {from: h2..3, to: h1, mtu: 1024, control: dcqcn}' >>"$dir/two.yaml"
start "$dir/two.yaml" 5 131072 --set switches.s1.lcores=2 -- --lcores=0@0,1@0,2@0 --main-lcore=0
prints 3 '^  s1:r  *10\.0\.0\.[123]  *10\.0\.0\.4 ' s1
prints 2 '^  s1:h1  *10\.0\.0\.[23]  *10\.0\.0\.1 ' s1
stop 5
