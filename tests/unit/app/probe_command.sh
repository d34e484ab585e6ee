#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench probe: what it prints before it starts, what it refuses with one line, its files, its exit
# statuses.
# usage: probe_command.sh QUENCH CONFIG
set -eu
quench=$(realpath "$1") config=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "probe_command: $1"
	cat log
	exit 1
}

# refused WORDS ARGUMENT...: exit status 2, one line with the words on stderr, and nothing was sent
refused()
{
	words=$1
	shift
	status=0
	"$quench" probe "$@" >out 2>log || status=$?
	[ $status -eq 2 ] || fail "probe $*: status $status"
	grep -q "$words" log || fail "probe $*: not told: $words"
	[ "$(grep -vc '^warning' log)" -eq 1 ] || fail "probe $*: more than a line"
	[ ! -e runs ] || fail "probe $*: it ran"
}

device=$config/probe/device.yaml
refused 'name one scenario with a section probe'
refused 'has no section probe' "$config/first-light.yaml"
refused "there is no step 'xof'; did you mean 'xoff'?" "$device" --steps xof
refused 'the list is empty' "$device" --steps ,
refused 'most.hold is 10us, and step .* may stop an egress for ' "$device" \
	--set probe.most.hold=10us
refused 'p1:dut has no device' "$device" --clock real
refused 'the probe stops an egress of dut for up to .* --allow-storm ' \
	"$config/probe/bench.yaml"
refused 'the probe stops an egress of dut for up to ' "$config/probe/bench.yaml" --allow-storm 1us
refused 'nowhere.yaml' "$device" --against nowhere.yaml
refused 'class 5 has no PFC there' "$device" --against "$device" --set 'probe.classes=[5]'
refused 'for a config_db.json that --against names' "$device" --port-map Ethernet0=p1

status=0
"$quench" probe "$device" --steps xoff --against "$device" --out run >out 2>log || status=$?
[ $status -eq 0 ] || fail "status $status"
grep -q '^  xoff      ' out || fail 'it does not say what it finds'
grep -q '^longest pause that it causes: ' out || fail 'it does not say the longest pause'
grep -q '^probe: xoff, class 3' log || fail 'no progress'
grep -Eq '^  XOFF .* PASS$' out || fail 'no XOFF that passes'
for file in probe.json probe.csv probe.html dut.yaml junit.xml; do
	[ -s run/$file ] || fail "no $file"
done
"$quench" check run/dut.yaml >log 2>&1 || fail 'dut.yaml is refused'
"$quench" probe "$device" --steps xoff --json --quiet --out again >out 2>log || fail 'json'
[ ! -s log ] || fail 'not quiet'
cmp -s out again/probe.json || fail '--json prints something else than probe.json'

# XON in bytes needs the cell, which no other step asks for then.
"$quench" probe "$device" --steps xon --against "$device" --out xon >out 2>log || fail 'xon alone'
grep -Eq '^  XON .* PASS$' out || fail 'no XON that passes'

status=0
"$quench" probe "$device" --steps xoff --against "$device" --out wrong \
	--set switches.dut.classes.3.pfc.dynamic_th=-3 >out 2>log || status=$?
[ $status -eq 1 ] || fail "a wrong threshold: status $status"
grep -Eq '^  XOFF .* FAIL' out || fail 'no XOFF that fails'
