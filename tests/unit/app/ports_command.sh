#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench ports: what it lists, what it refuses, and its exit status.
# usage: ports_command.sh QUENCH
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "ports_command: $1"
	cat log
	exit 1
}

# refused WORDS ARGUMENT...: exit status 2, and a line with the words on stderr
refused()
{
	words=$1
	shift
	status=0
	"$quench" ports "$@" >out 2>log || status=$?
	[ $status -eq 2 ] && grep -q "$words" log || fail "ports $*: status $status"
}

"$quench" ports >log || fail "status $?"
head -1 log | grep -q '^name .* device$' || fail "no head"
"$quench" ports --json >log || fail "status $?"
grep -q '"interfaces": \[' log || fail "no interfaces"
refused "'nowhere'" net_ring0 nowhere
refused "'first'" first net_ring0
refused 'set is for a scenario' --set seed=1 net_ring0
refused "^quench ports: 'net_af_packet0,iface=lo,qpairs=2': the kernel .* leave qpairs=2 out" \
	net_af_packet0,iface=lo,qpairs=2
printf 'name: x\nduration: 1ms\nhosts: {a: {}, b: {}}\nlinks: [{between: [a, b]}]\n' >x.yaml
refused 'x.yaml has no device' x.yaml
refused '^quench ports: nowhere.yaml: No such file' nowhere.yaml
refused "'nosuch0' is no interface here (.quench ports. lists them) and no scenario: " nosuch0
refused "did you mean .first-light.?" first-ligt
refused "'nosuch0' is no device .* and no interface here" nosuch0 nosuch1
# A scenario that is there is meant before an interface that has its name.
cp x.yaml lo
refused "^quench ports: lo has no device" lo
