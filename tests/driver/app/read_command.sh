#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# READs and immediate data between two processes, over net_memif: frames are made and parsed, with
# payload that the receiver checks. Both clocks count the same messages, bytes and frames.
# usage: read_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"

part()
{
	"$quench" run "$here/read.yaml" --clock real --nodes "$1" --no-huge --workers 1 --quiet \
		--set "ports.$2.device=$3,socket=$dir/cable,socket-abstract=no" >"log-$1" 2>&1
}

# A client of memif finds no server before its socket is there.
part h h:r net_memif0,role=server &
pid=$!
while [ ! -S cable ]; do
	kill -0 $pid 2>/dev/null || fail "the part h has ended"
	sleep 0.1
done
r=0
h=0
part r r:h net_memif1,role=client || r=$?
wait $pid || h=$?
[ $h = 0 ] && [ $r = 0 ] || fail "exit status $h and $r"
"$quench" merge runs/read-real-1-h runs/read-real-1-r >log 2>&1 || fail "merge: exit status $?"
"$quench" run "$here/read.yaml" --quiet --out virtual >log 2>&1 || fail "virtual time fails"

# The data of a READ flow from `to` to `from`, which is told when they have come.
for run in runs/read-real-1 virtual; do
	is $run flows flow_name '"fetch[r>h.0]" "empty[r>h.0]" "told[h>r.0]" "said[h>r.0]" '
	is $run flows message_complete_rx "20 3 5 5 "
	is $run flows rx_bytes "200000 0 0 15000 "
	is $run flows data_frames_rx "200 3 5 15 "
	is $run flows data_frames_retransmitted "0 0 0 0 "
	is $run flows receives "0 0 5 5 "
	is $run flows immediate_rx "0 0 5 5 "
	is $run flows frame_delta "0 0 0 0 "
done
is runs/read-real-1-h nic_counters rx_payload_errors "0 "
is runs/read-real-1-r nic_counters rx_payload_errors "0 "
