#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# SIGINT ends quench probe on the real clock, in a hold, in a storm, at a release: the table so far
# is printed, and the last PFC frame of each class that came to the device's port is XON.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_probe_end.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="the end of quench probe behind veth"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
# shellcheck source=tests/live/probe_net.sh
. "$(dirname "$0")/probe_net.sh"
net_begin
probe_ports veth
device_begin veth
ip netns exec "$s" python3 tests/live/pfc.py d3 "$out/pfc" &
await grep -qs listens "$out/pfc" || fail "nobody listens"

# Whether a frame like this has come since line $from of the listener's.
came() { # PATTERN
	tail -n "+$from" "$out/pfc" | grep -Eq "$1"
}

# Of each class that a frame has named since line $from, the last frame was XON.
is_released() {
	tail -n "+$from" "$out/pfc" | python3 -c '
import sys
last = {}
for words in (line.split() for line in sys.stdin):
    if words[0] == "PFC":
        for c, quanta in enumerate(words[2].split(",")):
            if int(words[1], 16) >> c & 1:
                last[c] = int(quanta)
sys.exit(not last or any(last.values()))'
}

# Starts a probe until one comes to the step, which a busy machine may prevent.
begin_until() { # FOLDER STEP
	local i
	for ((i = 0; i < 3; i++)); do
		probe_start "$1" --steps "$2"
		! at_step "$1" "$2" || return 0
		wait $prober || true
		tail -n 2 "$out/$1.log"
	done
	echo "SKIPPED: too busy for step $2: SIGINT in its $1 is NOT tested"
	return 1
}

# SIGINT at the first frame like PATTERN in a step.
ends_in() { # FOLDER STEP PATTERN
	local code=0 ended
	begin_until "$1" "$2" || return 0
	from=$(($(wc -l <"$out/pfc") + 1))
	until came "$3"; do
		kill -0 $prober 2>/dev/null || fail "the probe ended before"
		sleep 0.005
	done
	ended=$(ip netns pids "$a")
	# shellcheck disable=SC2086 # several words
	kill -INT $ended
	wait $prober || code=$?
	[ $code = 130 ] || fail "after SIGINT in $2 quench probe ended with $code"
	grep -q '^device dut' "$out/$1.table" || fail "no table after SIGINT in $2"
	grep -q '"interrupted": true' "$out/$1/probe.json" || fail "probe.json does not tell"
	await is_released || fail "no XON after SIGINT in $2: $(tail -n 3 "$out/pfc")"
	echo "ok: SIGINT in $1 of step $2, and the device is let go"
}

ends_in window map '^PFC .*[1-9][0-9]{3}'
ends_in hold xoff '^PFC .*65535'
ends_in release xoff '^PFC [0-9a-f]+ 0,0,0,0,0,0,0,0$'
ends_in storm watchdog '^PFC .*65535'

kill -INT "$pid"
code=0
wait "$pid" || code=$?
pid=''
[ $code = 130 ] || fail "the device ended with $code"
