#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# quench probe on the real clock, five times: of the fifteen figures of its table at least eleven
# are valid in four runs, and none is ever wrong. The device is another process behind four veths or
# four net_memif. Takes some minutes. Needs root, ip, ethtool and python3; else it says so and is
# skipped (77).
# usage: probe.sh QUENCH veth|memif [RUNS]
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
over=${2:-veth}
runs=${3:-5}
what="the accuracy of quench probe over $over"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/../live/net.sh"
net_begin
# shellcheck source=tests/live/probe_net.sh
. tests/live/probe_net.sh
probe_ports "$over"
device_begin "$over"
good=0
for ((run = 1; run <= runs; run++)); do
	probe_done probe --force
	said=$(python3 tests/live/probe.py "$out/probe") || fail "run $run: $said"
	echo "$over, run $run: $said, load $(cut -d' ' -f1 /proc/loadavg)"
	n=${said##*valid: }
	[ "${n%% *}" -lt 11 ] || good=$((good + 1))
done
device_end
[ $((5 * good)) -ge $((4 * runs)) ] || fail "$good of $runs runs had 11 valid figures or more"
