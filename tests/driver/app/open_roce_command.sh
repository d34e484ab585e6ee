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

over_memif "$here/open_roce.yaml"
sent=$(values h sources tx_frames)
all_came r
is r nic_counters rx_icrc_errors "0 "
