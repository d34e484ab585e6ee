#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# responder: echo on the real clock: in one process over a link in memory, and with sender and echo
# in two processes that meet over net_memif. All that was sent comes back, once and in order, and
# the sender alone has the round trips.
# usage: echo_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"

# In the sender's folder: both sources have sent, and all frames came back.
all_back()
{
	sent=$(values "$1" sources tx_frames)
	for n in $sent; do
		[ "$n" -gt 10 ] || fail "$1: sent $sent"
	done
	is "$1" sources echo_rx_frames "$sent"
	is "$1" sources echo_lost "0 0 "
	is "$1" sources echo_in_flight "0 0 "
	is "$1" sources echo_out_of_order "0 0 "
	is "$1" sources echo_duplicates "0 0 "
	for figure in rtt_min_us rtt_p50_us rtt_p99_us rtt_p999_us rtt_max_us; do
		for us in $(values "$1" sources $figure); do
			[ "$us" != null ] || fail "$1: $figure is not known"
		done
	done
}

"$quench" run "$here/echo.yaml" --out virtual >log 2>&1 || fail "virtual time fails"
all_back virtual
is virtual sources rx_frames "$sent"
grep -q "^    came back .* 0 lost, " log && grep -q "^    round trip p50 " log ||
	fail "the table has no round trip"

"$quench" run "$here/echo.yaml" --clock real --no-huge --workers 1 --dilate 20 --out memory \
	>log 2>&1 || [ $? = 3 ] || fail "one process fails"
all_back memory
is memory sources rx_frames "$sent"

over_memif "$here/echo.yaml"
all_back h
is r sources rx_frames "$sent"
is r sources lost "0 0 "
is r sources echo_rx_frames ""
is r sources rtt_p50_us ""
is r nic_counters echo_tx "$(echo "$sent" | awk '{ print $1 + $2 }') "
is h nic_counters echo_rx "$(echo "$sent" | awk '{ print $1 + $2 }') "

# The whole has both: what the receiver counted and the sender's round trips.
status=0
"$quench" merge h r --out whole >log 2>&1 || status=$?
[ $status = 0 ] || [ $status = 1 ] || fail "merge: exit status $status"
grep -q "^link     h:r to r: PASS, " log && grep -q "^link     r:h to h: PASS, " log ||
	fail "a link does not add up"
is whole sources tx_frames "$sent"
is whole sources rx_frames "$sent"
is whole sources echo_rx_frames "$sent"
is whole sources rtt_p99_us "$(values h sources rtt_p99_us)"
grep -qE 'verdict  source.probe\[h>r\].echo_lost: (PASS|INVALID), 0' log ||
	fail "merge does not judge the round trips"

# A setting that makes no sense is told in one line.
refused()
{
	want=$1
	shift
	status=0
	"$quench" "$@" >log 2>&1 || status=$?
	[ $status = 2 ] && grep -qF -- "$want" log && [ "$(wc -l <log)" = 1 ] ||
		fail "$*: exit status $status"
}
refused "flow 'probe' has rtt_max, and 'r' sends nothing back; give that host responder: echo" \
	check "$here/echo.yaml" --set hosts.r.responder=sink
refused "responder: 'ecko' is not right; write one of sink, echo" \
	check "$here/echo.yaml" --set hosts.r.responder=ecko
