#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# QPNs and first PSNs on the wire of a real port. A run draws them, and the next one draws others.
# Its summary and its manifest contain them, and a run from the manifest has the same. Numbers in
# the scenario stay.
# usage: numbers_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"

{
	printf '\324\303\262\241\002\000\004\000\000\000\000\000'
	printf '\000\000\000\000\377\377\000\000\001\000\000\000'
} >none.pcap

# A run into a folder; what it says that it sent is what the wire has had.
run() # FOLDER SCENARIO OPTION...
{
	to=$1
	shift
	"$quench" run "$@" --clock real --no-huge --workers 1 --out "$to" \
		--set "ports.a:b.device=net_pcap0,rx_pcap=none.pcap,tx_pcap=$to.pcap" \
		>log 2>&1 || fail "$to fails"
	"$quench" decode "$to.pcap" | grep 'RC_WRITE' >frames
	wire=$(sed 's/.*QPN \(0x[0-9a-f]*\) .*/\1/' frames | sort -u)
	said=$(for qpn in $(values "$to" flows dest_qp); do
		printf '0x%06x\n' "$qpn"
	done | sort -u)
	[ "$wire" = "$said" ] || fail "$to: the wire has $wire, and the summary $said"
	psn=$(sed -n '1s/.*  PSN \([0-9]*\) .*/\1/p' frames)
}
of() # FOLDER HOST KEY
{
	sed -n "s/^ *\"$2\": {.*\"$3\": \([0-9]*\)[,}].*/\1/p" "$1/manifest.json"
}

run one "$here/../rt/payload.yaml" --set qp_numbers=auto
base=$(of one b qpn_base)
is one flows dest_qp "$((base + 1)) $((base + 2)) $((base + 3)) $((base + 4)) "
[ "$(of one a first_psn)" = "$psn" ] || fail "the first PSN is $psn, and the manifest has another"
python3 -c '
import json
print(json.dumps(json.load(open("one/manifest.json"))["resolved"]))' >again.yaml
first=$wire,$psn
run two again.yaml
[ "$wire,$psn" = "$first" ] || fail "a run from the manifest has other numbers: $wire,$psn"
run three "$here/../rt/payload.yaml" --set qp_numbers=auto
[ "$wire,$psn" != "$first" ] || fail "two runs have the same numbers"
run four "$here/../rt/payload.yaml" --set hosts.b.qpn_base=0x1000 --set hosts.a.first_psn=0xfffffe
is four flows dest_qp "4097 4098 4099 4100 "
[ "$psn" = 16777214 ] || fail "the first PSN is $psn"

# RDMA-CM tells a peer the numbers, and nobody knows them before the run.
"$quench" check "$here/../../live/rt_peers.yaml" >log 2>&1 || fail "check fails"
grep -q ' drawn     drawn  ' log || fail "check knows numbers before the run"
