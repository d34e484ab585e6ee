#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench reg against a running instance, from process to process: what it prints and how it ends.
# usage: reg_command.sh QUENCH HERE
set -eu
quench=$1
here=$2
dir=$(mktemp -d)
name=reg-command-$$
"$quench" run "$here/reg.yaml" --clock real --dilate 20 --no-huge --quiet --instance $name \
	--out "$dir/run" \
	--set duration=1000s >"$dir/log" 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null || true; wait $pid 2>/dev/null || true; rm -rf "$dir"' EXIT

fail()
{
	echo "reg_command: $*"
	cat "$dir/log"
	exit 1
}

reg()
{
	"$quench" reg "$@" --instance $name
}

# A line of a command's output must match this pattern.
prints()
{
	pattern=$1
	shift
	reg "$@" >"$dir/out" 2>&1 || true
	grep -q "$pattern" "$dir/out" ||
		{ cat "$dir/out"; fail "reg $* does not print '$pattern'"; }
}

tries=0
until reg list >"$dir/out" 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 2000 ] && kill -0 $pid || fail "the instance does not come up"
done
prints "^instance $name (pid $pid), scenario rt-reg" list
prints "^  h1: queue pairs up to 2" list
prints "^0x600008+  RATE_MEM " list
prints "^h1 qp 2  0x600108  RATE_MEM = 0x" read RATE_MEM --host h1 --qp 2
prints "^  current_rate  .* Gb/s: current rate" read RATE_MEM --host h1 --qp 2
prints "= 0x40$" write RATE_MEM.target_rate 64 --host h2
[ "$(reg write cc_rate 512 --host h1 --qp 1 --raw)" = 0x200 ] || fail "write --raw"
[ "$(reg read cc_rate --host h1 --qp 1 --raw)" = 0x200 ] || fail "read --raw"
prints "did you mean 'CC_RATE_MEM'?$" read CC_RATE_MEN --host h1 --qp 1
prints "h1 refuses it: it is read only$" write dcqcn_dfx_busy 1 --host h1
prints "is more than the 10 bits of ALPHA_MEM.alpha$" write alpha 1024 --host h1 --qp 1
prints "name one (--host H)$" read alpha
prints "name one of h1's (--qp N), 1..2$" read alpha --host h1
prints "write list, read NAME, write NAME VALUE or dfx" read
reg read nothing_like_it --host h1 --qp 1 2>/dev/null && fail "a bad name ends well"

# The engine on, and the window: it holds what hardware does from here on.
reg write hw_en 1 --host h1 >/dev/null
reg write RATE_MEM 1000 --host h1 --qp 1 >/dev/null
prints "its next 64 events are recorded" dfx --host h1 --qp 1 --start
reg write dcqcn_nocnp_timer_start 1 --host h1 --qp 1 >/dev/null
tries=0
until reg read dcqcn_dfx_entries --host h1 --raw | grep -qv '^0x[0-3]$'; do
	tries=$((tries + 1))
	[ $tries -lt 2000 ] || fail "the window stays empty"
done
prints "recording has ended" dfx --host h1 --qp 1 --stop
reg dfx --host h1 --qp 1 --csv >"$dir/out"
head -1 "$dir/out" | grep -q '^time_us,node,qp,event,event_name,rate,rate_gbps$' ||
	fail "CSV's header"
grep -q '^[0-9]*,h1,1,[1-7],[a-z_.]*,[0-9]*,[0-9.]*$' "$dir/out" ||
	{ cat "$dir/out"; fail "CSV's rows"; }
[ "$(wc -l <"$dir/out")" -ge 5 ] || fail "CSV has too few rows"

"$quench" reg read alpha --instance no-such-instance 2>&1 |
	grep -q "no instance 'no-such-instance' is running; there is" ||
	fail "an instance that is not there"
kill -INT $pid
status=0
wait $pid || status=$?
[ $status -eq 130 ] || fail "SIGINT: exit status $status, 130 is right"
grep -q '"reg": {"node": "h1", "name": "cc_rate", "value": 512, "qp": 1}' \
	"$dir/run/manifest.json" ||
	fail "the manifest does not have what was written"
[ ! -e /var/run/dpdk/quench-$pid ] || fail "its runtime folder is left"
