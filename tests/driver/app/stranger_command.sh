#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Peers that connect by RDMA-CM, over IPv4 and IPv6 and net_memif, and frames of strangers for the
# queue pairs of one side: from another address, for another one, with another P_Key. They are
# dropped and counted, whether the peer was asked (REP) or has asked (REQ); the flows go on. A host
# with peer_check: no counts and takes them.
# usage: stranger_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"
pid=
trap 'kill "$pid" 2>/dev/null || true; rm -rf "$dir"' EXIT

python3 "$here/stranger.py" strangers.pcap
"$quench" decode strangers.pcap >frames
[ "$(grep -c ' ok  *CNP ' frames)" = 78 ] && [ "$(grep -c ' ok  *RC_SEND_ONLY ' frames)" = 26 ] ||
	fail "the strangers' frames are others: $(cat frames)"
cable()
{
	echo "net_memif$1,role=$2,id=$1,socket=$dir/cable,socket-abstract=no"
}
"$quench" run "$here/stranger_a.yaml" --clock real --no-huge --workers 1 --out a \
	--set "hosts.f.replay.file=$dir/strangers.pcap" \
	--set "ports.s1:b4.device=$(cable 0 server)" --set "ports.s1:b6.device=$(cable 1 server)" \
	--set "ports.s1:bn.device=$(cable 2 server)" >log-a 2>&1 &
pid=$!
until [ -S cable ]; do
	kill -0 $pid || fail "no cable"
done
"$quench" run "$here/stranger_b.yaml" --clock real --no-huge --workers 1 --out b \
	--set "ports.b4:a4.device=$(cable 0 client)" --set "ports.b6:a6.device=$(cable 1 client)" \
	--set "ports.bn:an.device=$(cable 2 client)" >log-b 2>&1 || fail "b ends with $?"
wait $pid || fail "a ends with $?"
pid=

# Of hosts a4, a6 and an: 5 + 7 + 11 CNPs, and 13 SENDs of the first two.
is a nic_counters node '"a4" "a6" "an" '
is a nic_counters rx_wrong_peer "36 36 23 "
is a nic_counters drop_wrong_peer "36 36 0 "
is a flows cnp_rx "3 3 26 "
is a flows frame_sequence_error "0 0 "
is a flows nak_tx "0 0 "
is a flows message_fail "0 0 0 "
for count in $(values a flows message_tx | cut -d' ' -f1-3) \
	$(values a flows message_complete_rx); do
	[ "$count" -gt 10 ] || fail "of a flow $count messages are done"
done
grep -q '^  drops .*nic wrong_peer 72' log-a || fail "the table does not say who was dropped"
