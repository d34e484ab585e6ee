#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The effect of each signal on a run: one that ends it early leaves its files whole and gives the
# exit status 128 and its number, a crash takes its course, and some are ignored. On the real clock
# a peer that the run had stopped gets an XON from all of them.
# The real clock needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: signals.sh QUENCH virtual|real
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
clock=${2:-virtual}
what="signals on the $clock clock"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
# Signals that a user or the kernel may send, by their effect on the run. All signals without an
# effect go to one run, before its SIGTERM.
ends='HUP INT TERM USR1 USR2 ALRM VTALRM PROF XCPU PWR STKFLT IO RTMIN RTMIN+1 RTMAX'
dies='QUIT ILL TRAP ABRT BUS FPE SEGV SYS'
stays='PIPE XFSZ CHLD URG WINCH CONT'
at_once=4 # runs
ulimit -c 0
# ASan takes a crash and ends the program with status 1. Here a crash ends it by its signal.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_sigbus=0:handle_sigill=0"
ASAN_OPTIONS+=:handle_sigfpe=0:handle_abort=0
declare -A runs=() macs=()

complain() { # SIGNAL TEXT
	echo "SIG$1: $2"
	cat "$out/$1.log"
	exit 1
}

# Waits until COMMAND holds, as long as process PID lives.
until_holds() { # SIGNAL PID COMMAND...
	until "${@:3}" 2>/dev/null; do
		kill -0 "$2" 2>/dev/null || complain "$1" "it ended before: ${*:3}"
		sleep 0.02
	done
}

if [ "$clock" = real ]; then
	net_begin
	cable "$a" sa 10.1.1.1
	ip netns exec "$a" python3 tests/live/pfc.py e0 "$out/frames" senders &
	until_holds listener $! grep -q listens "$out/frames"
else
	trap net_cleanup EXIT
fi

# Begins a run of its own for a signal, which has its default action wherever the tests run.
begin() { # SIGNAL NUMBER
	if [ "$clock" = virtual ]; then
		env --default-signal "$quench" run config/first-light.yaml --quiet \
			--duration 100000s --set sample=10s --out "$out/$1" >"$out/$1.log" 2>&1 &
	else
		macs[$1]=$(printf '02:00:00:00:00:%02x' "$2")
		ip netns exec "$s" env --default-signal "$quench" run tests/live/rt_storm.yaml \
			--clock real --quiet --out "$out/$1" --allow-storm 100s \
			--set switches.s1.buffer=200KB --set "ports.s1:a.mac=${macs[$1]}" \
			>"$out/$1.log" 2>&1 &
	fi
	runs[$1]=$!
}

# Handlers are there before the folder is; on the real clock the peer is stopped by now.
until_runs() { # SIGNAL
	if [ "$clock" = virtual ]; then
		until_holds "$1" "${runs[$1]}" [ -e "$out/$1/events.csv" ]
	else
		until_holds "$1" "${runs[$1]}" \
			grep -q "^${macs[$1]} PFC 08 0,0,0,[1-9]" "$out/frames"
	fi
}

# The last frame that came of this run lets the peer go.
is_released() { # SIGNAL
	grep "^${macs[$1]} " "$out/frames" | tail -n 1 |
		grep -qE ' PFC [0-9a-f]{2} 0,0,0,0,0,0,0,0$'
}

judge() { # SIGNAL
	local code=0 right
	right=$((128 + $(kill -l "$1")))
	wait "${runs[$1]}" || code=$?
	[ "$code" = "$right" ] || complain "$1" "exit status $code, $right is right"
	[ "$clock" = real ] || return 0
	await is_released "$1" || complain "$1" \
		"the peer stays paused: $(grep "^${macs[$1]} " "$out/frames" | tail -n 1)"
}

number=0
# shellcheck disable=SC2086 # words of a list
set -- $ends $dies
while [ $# -gt 0 ]; do
	batch=("${@:1:$at_once}")
	shift ${#batch[@]}
	for signal in "${batch[@]}"; do
		begin "$signal" $((number += 1))
	done
	for signal in "${batch[@]}"; do
		until_runs "$signal"
		if [ "$signal" = TERM ]; then
			for ignored in $stays; do
				kill -s "$ignored" "${runs[TERM]}"
			done
			sleep 0.05
		fi
		kill -s "$signal" "${runs[$signal]}"
	done
	for signal in "${batch[@]}"; do
		judge "$signal"
	done
done 2>"$out/said" # the shell's own words about what has crashed

# Files of runs that ended early are whole.
# shellcheck disable=SC2086 # words of a list
(cd "$out" && python3 - $ends) <<'END' || fail "files are not whole"
import json
import pathlib
import sys

for signal in sys.argv[1:]:
    here = pathlib.Path(signal)
    for name in ("summary.json", "manifest.json"):
        assert json.loads((here / name).read_text())["interrupted"] is True, here / name
    assert (here / "events.csv").read_text().endswith("\n"), here
    assert (here / "junit.xml").read_text().endswith("</testsuite>\n"), here
END
echo "ok: $number signals on the $clock clock"
