#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Parts of a scenario: one process runs the sender, whose frames a capture keeps, and another runs
# the receiver, to which the capture brings them. Each has the counters of its own end.
# usage: part_command.sh QUENCH HERE
set -eu
quench=$(realpath "$1")
here=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "part_command: $*"
	cat log 2>/dev/null || true
	exit 1
}

# The run of a part, with its port's device.
part()
{
	node=$1
	port=$2
	shift 2
	"$quench" run "$here/part.yaml" --clock real --nodes "$node" --no-huge --workers 1 \
		--set "ports.$port.device=$*" >log 2>&1 || fail "the part $node fails"
}

# The values of a key of a list in summary.json, one behind the other.
values()
{
	sed -n "/^ *\"$2\": \[/,/^ *\]/p" "$1/summary.json" | grep -o "\"$3\": *[^,}]*" |
		sed 's/.*: *//' | tr '\n' ' '
}

is()
{
	got=$(values "$1" "$2" "$3")
	[ "$got" = "$4" ] || fail "$1: $3 of $2 is '$got', '$4' is right"
}

# An empty capture: what the sender receives.
{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000'
	printf '\000\000\000\000\377\377\000\000\001\000\000\000'
} >none.pcap

part h h:r "net_pcap0,rx_pcap=$dir/none.pcap,tx_pcap=$dir/sent.pcap"
grep -q 'received elsewhere' log || fail "the table does not say that r is elsewhere"
grep -q 'expect. is of the whole scenario' log || fail "nothing is said of expect"
sender=runs/part-real-1-h
is $sender flows data_frames_rx ""
is $sender flows goodput_gbps "null "
is $sender groups goodput_gbps "null "
is $sender sources rx_frames ""
is $sender sources lost ""
grep -q '"part": "h"' $sender/manifest.json || fail "the manifest does not name the part"

part r r:h "net_pcap1,rx_pcap=$dir/sent.pcap,tx_pcap=$dir/back.pcap"
receiver=runs/part-real-1-r
is $receiver flows data_frames_tx ""
is $receiver flows message_complete_rx "3 "
is $receiver flows frame_sequence_error "0 "
is $receiver flows avg_latency "null "
is $receiver sources tx_frames ""
is $receiver sources lost "0 "
is $receiver sources latency_mean_us "null "
sent=$(values $sender sources tx_frames)
got=$(values $receiver sources rx_frames)
[ -n "$sent" ] && [ "$sent" = "$got" ] || fail "sent $sent, received $got"

# A link that is cut needs a device, and every node a name that there is.
refused()
{
	want=$1
	shift
	status=0
	"$quench" "$@" >log 2>&1 || status=$?
	[ $status = 2 ] && grep -qF -- "$want" log || fail "$*: exit status $status"
}
refused "port h:r: 'r' is not among --nodes" run "$here/part.yaml" --clock real --nodes h
refused "there is no node 'q'" check "$here/part.yaml" --nodes q
refused "the virtual clock runs a scenario whole" run "$here/part.yaml" --nodes h

# Digests of sections: what a part says is what the other says, whatever the devices are.
digests()
{
	"$quench" check "$here/part.yaml" --set ports.h:r.device=net_null0 \
		--set ports.r:h.device=net_null1 "$@" >log 2>&1 || fail "check $* fails"
	grep '^digest of ' log
}
digests --nodes h --set ports.h:r.lcore=1 >one
digests --nodes r --set sample=1ms >two
[ "$(wc -l <one)" = 9 ] && cmp -s one two || fail "digests of the parts differ"
digests --nodes r --set flows.noise.open_loop.rate=6% >two
[ "$(diff one two | grep -c '^> digest of flows: ')" = 1 ] &&
	[ "$(diff one two | grep -c '^>')" = 1 ] || fail "not the flows alone differ"
