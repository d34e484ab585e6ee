#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An experiment whose device is another process: a switch on the real clock behind four cables of
# net_memif. Its testers find XOFF where the switch has it.
# usage: experiment_command.sh QUENCH PROGRAM
set -eu

quench=$(realpath "$1")
program=$(realpath "$2")
dir=$(mktemp -d)
pid=
trap 'kill -INT $pid 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
cd "$dir"

# Writes the scenario of one side: ports "dut:pN" or "pN:dut" have the cables.
# usage: scenario FILE ROLE
scenario()
{
	cat >"$1" <<-END
		name: ${1%.yaml}-$$
		duration: 1000s
		poll: yield
		wait_link: 60s
		switches:
		  dut:
		    buffer: 4MB
		    latency: 500ns
		    classes:
		      3: {lossless: true, pfc: {xoff: 64000B, xon_offset: 6400B, headroom: 40KB}}
		hosts: {p1..4: }
		links:
		- {between: [[p1..4], dut], rate: 100Mbps, delay: 100ns}
		ports:
	END
	for n in 1 2 3 4; do
		name=p$n:dut
		[ "$2" = client ] || name=dut:p$n
		cable=role=$2,id=$n,socket=$dir/cable,socket-abstract=no
		echo "  $name: {device: \"net_memif$n,$cable\"}"
	done >>"$1"
}

scenario dut.yaml server
scenario bench.yaml client
export QUENCH_BENCH=$dir/bench.yaml

# Runs the program beside the device.
beside()
{
	rm -rf cable out
	"$quench" run dut.yaml --clock real --no-huge --workers 1 --out out >log-dut 2>&1 &
	pid=$!
	until [ -S cable ]; do
		kill -0 $pid || { cat log-dut; exit 1; }
		sleep 0.05
	done
	"$program" >log 2>&1 || { cat log log-dut; exit 1; }
	[ -z "${QUENCH_SHOW-}" ] || cat log
	kill -INT $pid
	wait $pid || true
	pid=
	grep -q 'every frame is accounted for' log-dut || { cat log-dut; exit 1; }
}

beside
export QUENCH_STOP=1
beside
