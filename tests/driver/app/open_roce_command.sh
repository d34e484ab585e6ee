#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# RoCEv2 that nobody answers: a receiver of ours counts it by PSN in virtual time, over a link in
# memory, and as bytes that another process sends over net_memif.
# usage: open_roce_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"

# All frames of the folder's three sources have come to the receiver, in order.
all_came()
{
	is "$1" sources rx_frames "$sent"
	is "$1" sources lost "0 0 0 "
	is "$1" sources out_of_order "0 0 0 "
}

"$quench" run "$here/open_roce.yaml" --out virtual >log 2>&1 || fail "virtual time fails"
sent=$(values virtual sources tx_frames)
[ "$sent" = "24 24 36 " ] || fail "virtual: sent $sent"
all_came virtual

"$quench" run "$here/open_roce.yaml" --clock real --no-huge --workers 1 --dilate 20 --out memory \
	>log 2>&1 || [ $? = 3 ] || fail "one process fails"
sent=$(values memory sources tx_frames)
all_came memory

cable=socket=$dir/cable,socket-abstract=no
slow="--no-huge --workers 1 --dilate 50 --quiet"
# shellcheck disable=SC2086
"$quench" run "$here/open_roce.yaml" --clock real --nodes h $slow --out h \
	--set "ports.h:r.device=net_memif0,role=server,$cable" >log-h 2>&1 &
pid=$!
tries=0
until [ -S cable ]; do
	tries=$((tries + 1))
	[ $tries -lt 1000000 ] && kill -0 $pid || fail "no cable"
done
r=0
h=0
# shellcheck disable=SC2086
"$quench" run "$here/open_roce.yaml" --clock real --nodes r $slow --out r \
	--set "ports.r:h.device=net_memif1,role=client,$cable" >log-r 2>&1 || r=$?
wait $pid || h=$?
[ $h = 0 ] && [ $r = 0 ] || fail "exit status $h and $r"
sent=$(values h sources tx_frames)
all_came r
is r nic_counters rx_icrc_errors "0 "
