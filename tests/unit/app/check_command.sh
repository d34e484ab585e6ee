#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The derived values of `quench check`: the reaction of each host to CE and how many of its senders
# react; for iQCN the limit of each port, and the rule that gives it.
# usage: check_command.sh QUENCH CONFIG
set -eu
quench=$1 config=$2
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# says LINE SCENARIO ...: check prints this line, with --full unless `full` is empty.
full=--full
says() {
	want=$1
	shift
	"$quench" check "$@" $full >"$out"
	grep -qx -- "$want" "$out" || {
		echo "check_command: '$want' does not stand there"
		cat "$out"
		exit 1
	}
}

says 'r  *8  *0  CNP: mode window, interval 50us, key qp' "$config/compare/1-pfc-only.yaml"
says 'r  *8  *0  CNP: mode window, interval 50us, key qp' "$config/compare/2-qcn.yaml"
says 'r  *8  *8  CNP: mode window, interval 50us, key qp' "$config/compare/3-dcqcn-paper.yaml"
says 'r  *8  *0  no CNP: np: {mode: off}' "$config/compare/1-pfc-only.yaml" \
	--set 'hosts.r.np={mode: off}'
says 'r  *8  *8  CNP for every CE frame' "$config/compare/3-dcqcn-paper.yaml" \
	--set 'hosts.r.np.interval=0us'
says 'n3  *2  *2  no CNP: in the framing of the simulator the ACK echoes CE' \
	"$config/oracle-s01.yaml"

# How late a loop headroom holds, where the real clock has devices.
says 's1:sink  *50us  *321864B  *125KB  *196864B  *68.8us' "$config/replay.yaml" \
	--set 'ports.s1:sink.device=net_null0' \
	--set 'switches.s1.classes={3: {lossless: true}}'

# The code that it loads and the files that it opens, before it does so.
dir=$(mktemp -d)
trap 'rm -rf "$out" "$dir"' EXIT
cat >"$dir/code.yaml" <<'END'
duration: 1ms
controls: {ip: {profile: rdma_ip}}
hosts: {h1: {firmware: {file: ../aimd.so}}, h2: }
links: [{between: [h1, h2]}]
ports: {"h2:h1": {device: "0000:3b:00.0"}}
flows: {f: {from: h1, to: h2, control: ip}}
END
says "loads code: h1: $dir/../aimd.so" "$dir/code.yaml"
says 'opens device: h2:h1: 0000:3b:00.0' "$dir/code.yaml"
"$quench" check "$config/first-light.yaml" | grep -E '^(loads|opens)' && exit 1

# The same of iQCN's file.
iqcn() {
	pattern=$1
	shift
	says "$pattern" "$config/iqcn-capped-np.yaml" "$@"
}

iqcn ' *port_rate: auto  *# default.*'
iqcn 's1:r  *270us  *20ms  *1s  *318877  *64  auto: 1% of 25Gbps'
iqcn 's1:s0  *270us  *20ms  *1s  *1275510  *64  auto: 1% of 100Gbps'
iqcn ' *port_rate: 5000  *# --set.*' --set switches.s1.classes.3.iqcn.port_rate=5000
iqcn 's1:r  *270us  *20ms  *1s  *5000  *64  given' --set switches.s1.classes.3.iqcn.port_rate=5000
iqcn 's1:r  *270us  *20ms  *1s  *none  *64  given' --set switches.s1.classes.3.iqcn.port_rate=none

# The window and the timeouts of selective repeat: 4,190.72 ns there and back, 88.48 ns a frame, and
# 4 MB of the switch's memory take 320 us of a link.
irn() {
	says "$1" "$config/faults/drop-once.yaml" --set flows.f.recovery=irn \
		--set switches.s1.buffer=4MB
}

irn 'f\[h1>h2.0\]  *irn  *48  *108.064us  *324.191us  *1'
irn ' *cap: 48  *# auto'
irn ' *rto_low: 108063.573ns  *# auto'
irn ' *rto_high: 324190.72ns  *# auto'

# The output without --full is one screen, which begins with the thresholds. Ports that are alike
# have one line, and a long table is cut.
full=
says 's1:h1 and 4 more  *3  lossless .*' "$config/first-light.yaml"
head -n 1 "$out" | grep -q '^Thresholds ' || {
	echo "check_command: thresholds do not come first"
	exit 1
}
if grep -qE '^(name|switches|Topology|FDBs)' "$out" || [ "$(wc -l <"$out")" -gt 24 ]; then
	echo "check_command: the screen has more than its part"
	cat "$out"
	exit 1
fi
big=$(mktemp)
trap 'rm -f "$out" "$big"' EXIT
cat >"$big" <<EOF
name: big
duration: 1ms
topology: {leaf_spine: {leaves: 16, spines: 8, hosts: 64, rate: 100Gbps}}
flows: {f: {from: h1..1023, to: h1024}}
EOF
says 'leaf1:spine1 and 71 more  *3  lossy .*' "$big"
says '50 lines more; --full prints them' "$big" --set topology.leaf_spine.leaves=64 \
	--set topology.leaf_spine.hosts=16
[ "$(wc -c <"$out")" -lt 65536 ] || {
	echo "check_command: $(wc -c <"$out") bytes are no summary of 1024 hosts"
	exit 1
}
says 'leaf1:spine1 .*  h65..1024' "$big" --full
says 'h1024:leaf16 .*' "$big" --full
if grep 'lines more' "$out"; then
	echo "check_command: --full leaves lines out"
	exit 1
fi
full=--full
says 's1:r .*  r' "$config/first-light.yaml"
# Room in the FDB, as auto and rounding say: 40 for five static entries is 64.
says 's1  *16384  *5' "$config/first-light.yaml"
says 's1  *64  *5' "$config/first-light.yaml" --set switches.s1.fdb_entries=17
# Addresses behind a device are not known.
cat >"$big" <<'EOF'
name: bump
duration: 1us
switches: {s1: }
hosts: {h1: , h2: }
links: [{between: [[h1, h2], s1]}]
ports: {"s1:h1": {device: net_null0}, "s1:h2": {device: net_null1}}
EOF
says '0 queue pairs, .*; no frames of its own; at most .*' "$big"
# Requesters for which a NIC has too little memory for rings are told: of 1.5 KiB it has 174762.
cat >"$big" <<'EOF'
name: rings
duration: 1us
hosts: {h1: , h2: }
links: [{between: [h1, h2]}]
flows: {f: {from: h1, to: h2, message: 64B, outstanding: 64, qps: 174762}}
EOF
says '.*and a ring of messages: 492\.1 MB more, .*' "$big"
if grep -q 'take turns' "$out"; then
	echo "check_command: rings that suffice are said to be too few"
	exit 1
fi
says '.*too little for 4 requesters: .*' "$big" --set flows.f.qps=174766
says '.*and a ring of messages: 492\.1 MB more, .*' "$big" --set flows.f.qps=174766
# The bounds of a load: of 37.5 requests of three equal messages each, 3 sigma are 3 / sqrt(37.5).
cat >"$big" <<'EOF'
name: requests
duration: 3ms
switches: {s1: }
hosts: {h1..9: }
links: [{between: [h1..9, s1], rate: 10Gbps}]
flows:
  f: {from: h2..9, to: h1, sizes: 20KB, load: 60%, pairs: incast(3)}
EOF
says 'f  *1  *8  *20000\.0  *112  60\.00 %, 3 sigma: 30\.61 to 89\.39 %' "$big"
says 'f .* 60\.00 %, 3 sigma: 60\.00 to 60\.00 %' "$big" --set flows.f.arrivals=every
# The sets of a switch whose ports differ, by ranges, and the classes that differ.
cat >"$big" <<'EOF'
name: leaf
duration: 1ms
switches:
  s1: {classes: {3: {lossless: true, wred: {min: 4KB/Gbps, max: 16KB/Gbps}}}}
  s2:
hosts: {h1..9: }
links:
  - {between: [h1..9, s1], rate: 25Gbps}
  - {between: [s2, s1], rate: 100Gbps}
ports:
  s1:h9: {dscp_map: {40..47: 0, 26: 0}, queue_map: {3: 4}, classes: {3: {weight: 2}}}
  s1:h4: {classes: {3: {pfc: {enable: false}}}}
EOF
for full in '' --full; do
	says 'set 1: s1:h1..3, s1:h5..8 (7 ports)' "$big"
	says 'set 2: s1:h4 (1 port)' "$big"
	says 'set 4: s1:s2 (1 port)' "$big"
	says ' *3  1 *yes *1 *-  dequeue *100KB *400KB *1% .*' "$big"
	says ' *3  2 *no *1 *-  dequeue *100KB *400KB *1% .*' "$big"
	says ' *3  3 *yes *2 *-  dequeue *100KB *400KB *1% .*' "$big"
	says ' *3  4 *yes *1 *-  dequeue *400KB *1\.6MB *1% .*' "$big"
	says 'set 1: none' "$big"
	says 'set 3: dscp_map {26: 0, 40..47: 0}, queue_map {3: 4}' "$big"
	says 's1 set 4 class 3: Kmin 400KB, Kmax 1\.6MB, which are 4KB/Gbps and .*' "$big"
	if grep -q 'Sets of s2' "$out"; then
		echo "check_command: a switch whose ports are alike has sets"
		exit 1
	fi
done
says ' *6  all *no *strict *- .*' "$big"
# A queue that is averaged differs from one that is not.
says ' *3  1 *yes .* 1%  *- *- .*' "$big" --set 'ports.s1:h8.classes.3.wred.weight=4'
says ' *3  3 *yes .* 1%  *2^-4  *- .*' "$big" --set 'ports.s1:h8.classes.3.wred.weight=4'
# Ports that differ in maps alone have no table of classes. Long lists are cut, but not by --full.
full=
says 'set 1: dscp_map {26: 0}' "$big" --set 'ports={"s1:h1": {dscp_map: {26: 0}}}' \
	--set links.1.rate=25Gbps
if grep -q '^class  *set' "$out"; then
	echo "check_command: a table of classes without a line"
	exit 1
fi
{
	printf 'name: teeth\nduration: 1ms\nswitches: {s1: {}}\nhosts: {h1..40: }\n'
	printf 'links: [{between: [h1..40, s1], rate: 25Gbps}]\nports:\n'
	for i in $(seq 1 40); do
		printf '  s1:h%u: {classes: {1: {weight: %u}, ' "$i" $((i % 20 + 1))
		printf '2: {weight: %u}, 3: {weight: %u}}}\n' $((1 + i % 2)) $((1 + i % 20 / 18))
	done
} >"$big"
says 'set 1: s1:h1, s1:h21 (2 ports)' "$big"
says ' *2  1, 3, 5, 7 and 6 more  *no *2 .*' "$big"
says ' *3  1\.\.17, 20  *no *1 .*' "$big"
says ' *3  18, 19  *no *2 .*' "$big"
sed -i 's/1: {weight: [0-9]*}, //; s/, 3: {weight: [0-9]*}//' "$big"
says 'set 1: s1:h1, s1:h3, .*, s1:h15 and 12 more (20 ports)' "$big"
full=--full
says 'set 1: .* s1:h37, s1:h39 (20 ports)' "$big"
