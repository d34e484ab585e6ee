#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Two programs that are external hosts to each other, over net_memif: they find each other's
# hardware addresses, connect by RDMA-CM both ways, and send by numbers of the file. What cannot be
# is refused by one line.
# usage: peer_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"
pid=
trap 'kill "$pid" 2>/dev/null || true; rm -rf "$dir"' EXIT

# Each waits at most four seconds of its own; the second begins when the first has its end of the
# cable.
cable=socket=$dir/cable,socket-abstract=no
"$quench" run "$here/peer_a.yaml" --clock real --no-huge --workers 1 \
	--set "ports.s1:b.device=net_memif0,role=server,$cable" >log-a 2>&1 &
pid=$!
until [ -S cable ]; do
	kill -0 $pid || fail "no cable"
done
"$quench" run "$here/peer_b.yaml" --clock real --no-huge --workers 1 \
	--set "ports.b:a.device=net_memif1,role=client,$cable" >log-b 2>&1 || fail "b ends with $?"
wait $pid || fail "a ends with $?"
pid=
a=runs/peer-a-real-1
b=runs/peer-b-real-1

# Of a READ the data go to who asks.
is $b flows message_complete_rx "20 20 10 5 8 "
is $a flows message_complete_rx "7 6 "
is $b flows message_tx "7 6 "
[ "$(values $a flows message_tx | cut -d' ' -f1-5)" = "20 20 10 5 8" ] || fail "a has sent less"
# Of the open loop, whose frames ask for the hardware address, too.
sent=$(values $a sources tx_frames)
[ "$sent" != "0 " ] && [ "$sent" = "$(values $b sources rx_frames)" ] ||
	fail "of the open loop '$sent' are sent, $(values $b sources rx_frames) received"
is $b sources lost "0 "
grep -q 'QP failed   nobody.*: connection rejected: invalid service ID (reason 8)' log-a ||
	fail "nothing is said of the port at which nobody listens"
[ "$(grep -c '^  QP failed' log-a)" = 1 ] || fail "others have failed, too"
# The port with the device is observed, since its peer is not quench's: it sees each frame once.
for run in $a $b; do
	seen=$(values $run seen_from_outside rx_frames)
	[ "$seen" != "0 " ] && [ "$seen" = "$(values $run devices rx_frames)" ] ||
		fail "$run: the observer saw '$seen' frames"
	is $run seen_from_outside unknown_frames "0 "
done
grep -q '^  drops       none' log-b || fail "b has dropped something"
for run in $a $b; do
	grep -q '"conserved": true' $run/summary.json || fail "$run: not conserved"
	grep -q '"pool_missing": 0' $run/summary.json || fail "$run: descriptors are missing"
done

# The address and numbers of our end, for the peer.
"$quench" check "$here/peer_a.yaml" >log 2>&1 || fail "check fails"
grep -q '^numbers\[a>b.0\]  *0x000014  0xfffffe  b, QPN 0x000014' log || fail "no line of numbers"

# In virtual time the external host is simulated by a host of ours.
"$quench" run "$here/peer_a.yaml" --quiet --out virtual >log 2>&1 || fail "virtual time fails"
[ "$(values virtual flows message_complete_rx | cut -d' ' -f1-6)" = "20 20 10 5 7 6" ] ||
	fail "virtual time counts less"

# One whose address nobody tells.
"$quench" run "$here/peer_a.yaml" --clock real --no-huge --workers 1 --duration 1200ms \
	--set drain=100ms --set ports.s1:b.device=net_null0 >log 2>&1 ||
	fail "alone: exit status $?"
grep -q '^  QP waits    connects.a>b.0.: the run ended before its peer was found' log ||
	fail "nothing is said of one that waits"
grep -q '^  not sent    open.a>b.: the run ended before b was found' log ||
	fail "nothing is said of a source that waits"
"$quench" run "$here/peer_a.yaml" --clock real --no-huge --workers 1 --duration 3500ms \
	--set drain=100ms --set ports.s1:b.device=net_null0 >log 2>&1 ||
	fail "nobody answers: exit status $?"
grep -q '^  not sent    open.a>b.: nobody answers for the address of b' log &&
	grep -q '^  QP failed   connects.a>b.0.: peer not found' log ||
	fail "nothing is said of a host that does not answer"

refused()
{
	want=$1
	shift
	status=0
	"$quench" run "$here/peer_a.yaml" --clock real "$@" >log 2>&1 || status=$?
	[ $status = 2 ] && grep -qF -- "$want" log || fail "$*: exit status $status"
}
null=--set=ports.s1:b.device=net_null0
refused "port s1:b: 'b' is external, so this link leaves the process; give s1:b a device"
refused "'b' is external: it runs elsewhere; drop it from --nodes" $null --nodes a,s1,b
refused "whose raw frames have no IP address to ask for" $null --set flows.open.open_loop.raw=true
refused "nothing says which queue pair that is; write peer: {port: N}" $null \
	--set flows.numbers.peer.qpn=none
refused "RDMA-CM brings the QPN; drop qpn, or port" $null --set flows.numbers.peer.port=7
refused "has 2 queue pairs, and qpn is of one" $null --set flows.numbers.qps=2
refused "rkey and va name one region; give both" $null --set flows.numbers.peer.va=none
refused "both ends have one path MTU" $null --set flows.sends.mtu=1024
refused "an external host has a path MTU of 256" $null --set flows.sends.peer.mtu=768
refused "give b:s1 a device, too, or b the key external" $null --set hosts.b.external=false
refused "has no end at an external host; drop peer" --set hosts.b.external=false
refused "has 2 lcores, and a flow to an external host wants one" $null --set hosts.a.lcores=2
refused "host 'a' has 5005 queue pairs that connect; 4096 is the most" $null \
	--set flows.connects.qps=5000
ports()
{
	sed '/^flows:/q' "$here/peer_a.yaml"
	for i in 1 2 3 4 5 6 7 8; do
		echo "  f$i: {from: b, to: a, peer: {port: 100$i}}"
	done
	echo "  f9: {from: b, to: a, verb: read, peer: {port: 1009}}"
}
ports >ports.yaml
status=0
"$quench" run ports.yaml --clock real $null >log 2>&1 || status=$?
[ $status = 2 ] && grep -q "host 'a' is asked at 9 ports; 8 is the most: let flows share one" log ||
	fail "nine ports: exit status $status"
