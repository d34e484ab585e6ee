#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# quench verify on the real clock: suites pfc, pfc-counters and ecn in front of another process,
# behind four veths or four net_memif. No row fails, and a row is INVALID only if our own ports were
# late or lost frames, or lack its frame size. Five rows of these suites pass at least, unless our
# ports lost frames. Takes ten minutes. Needs root, ip, ethtool and python3; else it says so and is
# skipped (77).
# usage: verify.sh QUENCH veth|memif [SUITE...]
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
over=${2:-veth}
shift 2
suites=("$@")
least=1
[ $# -gt 0 ] || {
	suites=(pfc-counters pfc ecn)
	least=5
}
what="quench verify over $over"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/../live/net.sh"
net_begin
# shellcheck source=tests/live/probe_net.sh
. tests/live/probe_net.sh
probe_of=tests/live/rt_verify.yaml
probe_ports "$over"
device_begin "$over"
verify "${suites[@]}"
python3 tests/live/verify.py "$out/sheet/verify.json" 1 "$least" || fail "$(cat "$out/sheet.txt")"
device_end
