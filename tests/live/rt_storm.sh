#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A peer that a storm has stopped gets an XON whichever way the run ends: at a signal, at two of
# them at once, at a crash, and where a loop hangs.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_storm.sh QUENCH FIRMWARE
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
crashes=$(readlink -f "${2:-build/tests/unit/crashes.so}")
what="XON at every exit"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
# How a program ends by a signal is tested: ASan, where it is built in, leaves that alone.
export ASAN_OPTIONS=handle_segv=0:handle_sigbus=0
scenario=$PWD/tests/live/rt_storm.yaml
listener=''
net_begin
cable $a sa 10.1.1.1

# Waits until FILE has PATTERN, as long as process PID lives.
until_has() { # FILE PATTERN PID
	until grep -qE "$2" "$1" 2>/dev/null; do
		kill -0 "$3" 2>/dev/null || fail "it ended before: $2"
		sleep 0.05
	done
}

# Runs until the peer is stopped by a frame like PATTERN.
stopped() { # PATTERN OPTION...
	local pattern=$1
	shift
	rm -rf "$out/run" "$out/frames"
	ip netns exec $a python3 tests/live/pfc.py e0 "$out/frames" &
	listener=$!
	until_has "$out/frames" listens $listener
	# shellcheck disable=SC2016
	ip netns exec $s env --default-signal=INT,TERM sh -c 'ulimit -c 0; exec "$@"' sh \
		"$quench" run "$scenario" --clock real --quiet --out "$out/run" \
		--allow-storm 100s "$@" >"$out/log" 2>&1 &
	pid=$!
	until_has "$out/frames" "$pattern" $pid
}

# The run has ended with exit status STATUS, and the last frame is like PATTERN.
released() { # STATUS PATTERN
	local code=0
	wait "$pid" || code=$?
	pid=''
	[ "$code" = "$1" ] || fail "quench ended with $code, not $1"
	await last_is "$2" ||
		fail "the peer stays paused: $(tail -n 3 "$out/frames")"
	kill "$listener"
	wait "$listener" || true
	listener=''
}

last_is() { # PATTERN
	tail -n 1 "$out/frames" | grep -qE "$1"
}

xoff='^PFC 08 0,0,0,[1-9]'
xon='^PFC 08 0,0,0,0,0,0,0,0$'
all_xon='^PFC ff 0,0,0,0,0,0,0,0$'

code=0
ip netns exec $s "$quench" run "$scenario" --clock real --quiet --out "$out/bad" \
	>"$out/log" 2>&1 || code=$?
[ "$code" = 2 ] || fail "without --allow-storm it ended with $code"
grep -q 'pfc_storm at port s1:a .*--allow-storm' "$out/log" || fail "the event is not named"
echo "ok: without --allow-storm it is refused"

# Firmware of h that does not come back, 20 ms after the begin of the run.
hangs=(--quiesce 0 --set "hosts.h.firmware={file: '$crashes', args: fw_expire hang 20000}"
	--set 'controls={ip: {profile: rdma_ip, scheme: 2}}'
	--set 'flows={f: {from: h, to: r, control: ip}}')

for driver in net_af_packet net_af_xdp; do
	device=(--set "ports.s1:a.device=${driver}0,iface=sa")
	stopped "$xoff" "${device[@]}"
	kill -INT $pid
	released 130 "$xon"
	grep -q '"xon_at_end": 1' "$out/run/summary.json" || fail "the XON is not counted"
	grep -q '"conserved": true' "$out/run/summary.json" || fail "not conserved"
	grep -q '"pool_missing": 0' "$out/run/summary.json" || fail "descriptors are missing"
	echo "ok: $driver, a signal"

	stopped "$xoff" "${device[@]}" "${hangs[@]}"
	sleep 1 # long enough for the loop to hang
	kill -INT $pid
	sleep 0.2
	kill -TERM $pid
	released 143 "$all_xon"
	[ ! -f "$out/run/summary.json" ] || fail "the second signal did not end it at once"
	echo "ok: $driver, a second signal"

	stopped "$xoff" "${device[@]}" "${hangs[@]}"
	released 1 "$all_xon"
	grep -q '^the loop of lcore [0-9]* hangs at h: ' "$out/log" || fail "the loop is not named"
	grep -q '"crash": "the loop of lcore [0-9]* hangs at h: ' "$out/run/summary.json" ||
		fail "the summary does not name the loop"
	echo "ok: $driver, a loop that hangs"

	for signal in SEGV:139 ABRT:134 BUS:135; do
		stopped "$xoff" "${device[@]}"
		kill -${signal%:*} $pid
		released "${signal#*:}" "$all_xon"
	done
	echo "ok: $driver, crashes"
done

stopped '^PAUSE [1-9]' --set 'ports.h:s1.device=net_af_packet1,iface=sa' \
	--set 'ports.s1:a.device=net_null0' \
	--set 'events=[{at: 1ms, mac_frames: {port: h:s1, frame: pause, count: 20}}]'
kill -SEGV $pid
released 139 '^PAUSE 0$'
echo "ok: PAUSE"
