# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Shared by tests of quench probe on the real clock: rt_probe.yaml's switch is a process of its own,
# behind four veths or four net_memif. Sourced after net.sh and net_begin.

# Each process has a processor of its own, if there are two. Else the kernel may put both loops on
# one, where each waits for the other's time slice.
pinned() { # 0|1
	[ "$(nproc)" -lt 2 ] || echo "-- --lcores=0@$1,1@$1 --main-lcore=0"
}

# The scenario of the device and of the bench.
probe_of=tests/live/rt_probe.yaml

# The same with devices at the switch, or at the hosts.
probe_scenario() { # veth|memif dut|hosts
	local k port device
	cat "$probe_of"
	echo 'ports:'
	for k in 1 2 3 4; do
		case $1-$2 in
		# a ring that holds the frames of the longest gap
		veth-dut) device="net_af_packet$k,iface=d$k,framecnt=8192" ;;
		veth-hosts) device="net_af_packet$k,iface=g$k,framecnt=8192" ;;
		memif-dut) device="net_memif$k,role=server,id=$k,$cable" ;;
		memif-hosts) device="net_memif1$k,role=client,id=$k,$cable" ;;
		esac
		port=p$k:dut
		[ "$2" = hosts ] || port=dut:p$k
		echo "  $port: {device: \"$device\", mtu: 1518}"
	done
}

# The ports of the device and of the hosts, and a scenario for each.
probe_ports() { # veth|memif
	local k
	cable=socket=$out/cable,socket-abstract=no,rsize=14
	ip netns add "$a"
	for k in 1 2 3 4; do
		[ "$1" = veth ] || break
		join "$a" g$k d$k
		ip netns exec "$s" ethtool -K d$k tx off rx off tso off gso off gro off >/dev/null
		ip netns exec "$a" ethtool -K g$k tx off rx off tso off gso off gro off >/dev/null
	done
	probe_scenario "$1" dut >"$out/dut.yaml"
	probe_scenario "$1" hosts >"$out/bench.yaml"
}

# Starts the device. Its process is $pid.
device_begin() { # veth|memif
	# shellcheck disable=SC2046 # several words
	ip netns exec "$s" "$quench" run "$out/dut.yaml" --clock real --quiet --force \
		--out "$out/dut" --allow-storm 100s --instance "dut-$id" $(pinned 0) \
		>"$out/log" 2>&1 &
	pid=$!
	if [ "$1" = memif ]; then
		await [ -S "$out/cable" ] || fail "the device does not run"
	else
		await "$quench" stats --instance "dut-$id" --json >/dev/null 2>&1 ||
			fail "the device does not run"
	fi
}

# quench probe, with its folder $out/FOLDER.
probe() { # FOLDER OPTION...
	local to=$1
	shift
	# shellcheck disable=SC2046 # several words
	ip netns exec "$a" env --default-signal "$quench" probe "$out/bench.yaml" \
		--allow-storm 10s --instance "probe-$id" --out "$out/$to" "$@" $(pinned 1)
}

# The same, which ends with 0, or with 3: something was INVALID.
probe_done() { # FOLDER OPTION...
	local code=0
	probe "$@" --quiet >"$out/probe.log" 2>&1 || code=$?
	[ $code = 0 ] || [ $code = 3 ] ||
		fail "quench probe ended with $code: $(cat "$out/probe.log")"
}

# quench verify, with its folder $out/sheet. It ends with 0, or with 3: something was INVALID.
verify() { # SUITE...
	local code=0
	# shellcheck disable=SC2046 # several words
	ip netns exec "$a" "$quench" verify "$@" --bench "$out/bench.yaml" --clock real \
		--allow-storm 100s --out "$out/sheet" $(pinned 1) >"$out/sheet.txt" 2>"$out/log" ||
		code=$?
	[ $code = 0 ] || [ $code = 3 ] ||
		fail "quench verify ended with $code: $(cat "$out/sheet.txt" "$out/log")"
}

# Starts a probe, with its table in $out/FOLDER.table and its progress in $out/FOLDER.log.
prober=''
probe_start() { # FOLDER OPTION...
	probe "$@" --force >"$out/$1.table" 2>"$out/$1.log" &
	prober=$!
}

# Waits until the probe that was started does this step. 1: it has ended before, as it does if a
# busy machine hides that the class obeys PFC.
at_step() { # FOLDER STEP
	until grep -qs "^probe: $2" "$out/$1.log"; do
		kill -0 "$prober" 2>/dev/null || return 1
		sleep 0.02
	done
}

# Ends the device.
device_end() {
	local code=0
	kill -INT "$pid"
	wait "$pid" || code=$?
	pid=''
	[ $code = 130 ] || fail "the device ended with $code"
}
