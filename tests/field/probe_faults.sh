#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Faults of the bench while quench probe measures on the real clock: a link goes down and comes up
# again, the device ends and is started again. The probe goes on; a figure that it gives is right,
# and the others say why there is none.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: probe_faults.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="faults of the bench of quench probe"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/../live/net.sh"
# shellcheck source=tests/live/probe_net.sh
. "$(dirname "$0")/../live/probe_net.sh"
net_begin
probe_ports veth
device_begin veth

# The probe goes on to its end; no figure is wrong.
ends_well() { # FOLDER
	local code=0
	wait $prober || code=$?
	[ $code = 0 ] || [ $code = 3 ] || {
		cat "$out/$1.log"
		fail "with $1 quench probe ended with $code"
	}
	grep -q '"interrupted": false' "$out/$1/probe.json" || fail "with $1 it was interrupted"
	python3 tests/live/probe.py "$out/$1" faults || fail "with $1 a finding is wrong"
	echo "ok: $1"
}

probe_start link --steps pause,xon,marks
at_step link pause || skip "too busy for a probe"
for k in 1 2 3; do # one after the other, in the middle of whatever it does
	ip -n "$s" link set d3 down
	sleep 0.5
	ip -n "$s" link set d3 up
	sleep 2
done
ends_well link

probe_start restart --steps pause,xon,marks
at_step restart pause || skip "too busy for a probe"
kill -KILL "$pid"
wait "$pid" || true
device_begin veth
ends_well restart

kill -INT "$pid"
code=0
wait "$pid" || code=$?
pid=''
[ $code = 130 ] || fail "the device ended with $code"
