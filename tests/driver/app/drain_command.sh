#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# drain: senders begin nothing in the last `drain` of a run, posted messages complete and queues are
# empty when the run ends, on either clock; and quench merge allows for frames in flight only. A
# drain that is too short is told, and is no fault of a link.
# usage: drain_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"

# The figure of an object that is the only one of its kind.
one()
{
	sed -n "/^ *\"$2\": {/,/^ *}/p" "$1/summary.json" | grep -o "\"$3\": *[^,}]*" |
		sed 's/.*: *//'
}

# Nothing is left in a folder.
drained()
{
	[ "$(one "$1" total unfinished_qps)" = 0 ] || fail "$1: messages are not done"
	for bytes in $(values "$1" queues length_bytes); do
		[ "$bytes" = 0 ] || fail "$1: a queue holds $bytes bytes"
	done
	! grep -q "NOT DRAINED" log || fail "$1: the table says that it is not drained"
}

"$quench" run "$here/drain.yaml" --out virtual >log 2>&1 || fail "virtual time fails"
drained virtual
grep -q "^  conserved   every frame is accounted for, 0 still on links" log ||
	fail "frames are on links at the end"
is virtual flows frame_delta "0 0 "
is virtual sources lost "0 "
is virtual sources in_flight "0 "

"$quench" run "$here/drain.yaml" --set drain=100us --out short >log 2>&1 ||
	fail "a short drain fails"
grep -q "NOT DRAINED  a drain of 100.0 us is too short: at the end 2 queue pairs had " log ||
	fail "nothing is said of a drain that is too short"

"$quench" run "$here/drain.yaml" --clock real --no-huge --workers 1 --dilate 20 --out memory \
	>log 2>&1 || [ $? = 3 ] || fail "the real clock fails"
drained memory
is memory flows frame_delta "0 0 "
is memory sources lost "0 "

# h1, h2 and s1 in a process, r in another; the words behind are both's.
parts()
{
	two_parts "$here/drain.yaml" s1:r h1..2,s1 r:s1 r "$@"
	rm -rf whole
	"$quench" merge h1 r --out whole >log 2>&1 || [ $? = 1 ] || fail "merge fails"
}

parts
drained h1
drained whole
grep -q "^link     s1:r to r: PASS, " log && grep -q "^link     r:s1 to s1: PASS, " log ||
	fail "a link does not add up"
is whole flows frame_delta "0 0 "
[ "$(values whole sources tx_frames)" = "$(values whole sources rx_frames)" ] ||
	fail "frames of the open loop are missing"

# A drain shorter than the posted messages take: nothing is called a fault.
parts --set drain=100us
grep -q "NOT DRAINED" log-h1 || fail "the sender says nothing of a drain that is too short"
! grep -q "^link .* FAIL" log || fail "what was in flight is called lost"
