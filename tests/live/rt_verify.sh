#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# quench verify on the real clock: the device is another process behind four veths. Of five short
# rows none fails, and a row is INVALID only if our own ports were late or lost frames. Where they
# lost none, two rows pass at least, however late: they count frames.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_verify.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="quench verify behind veth"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
net_begin
# shellcheck source=tests/live/probe_net.sh
. tests/live/probe_net.sh
probe_of=tests/live/rt_verify.yaml
probe_ports veth
device_begin veth

mkdir "$out/short"
for row in pfc-counters/test_fc_pause ecn/codepoints-kept pfc/test_no_pfc \
	pfc/test_pfc_unset_cev_single_prio pfc/test_pfc_pause_lossless; do
	cp "config/verify/$row.yaml" "$out/short"
done
verify "$out/short"
python3 tests/live/verify.py "$out/sheet/verify.json" 5 2 || fail "a row is not as it should be"
device_end
