# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154
# Shared by tests of quench probe on the real clock: rt_probe.yaml's switch, which is a process of
# its own in namespace $s, and ports around it in $a. Sourced behind net.sh.

# rt_probe.yaml with devices d1.. at the switch, or g1.. at the hosts. Their rings hold the frames
# of the longest gap.
with_ports() { # dut|hosts
	local k
	cat tests/live/rt_probe.yaml
	echo 'ports:'
	for k in 1 2 3 4; do
		if [ "$1" = dut ]; then
			echo "  dut:p$k: {device: \"net_af_packet$k,iface=d$k,framecnt=8192\"," \
				"mtu: 1518}"
		else
			echo "  p$k:dut: {device: \"net_af_packet$k,iface=g$k,framecnt=8192\"," \
				"mtu: 1518}"
		fi
	done
}

probe_net_begin() {
	local k
	net_begin
	ip netns add "$a"
	for k in 1 2 3 4; do
		join "$a" g$k d$k
		ip netns exec "$s" ethtool -K d$k tx off rx off tso off gso off gro off >/dev/null
		ip netns exec "$a" ethtool -K g$k tx off rx off tso off gso off gro off >/dev/null
	done
	with_ports dut >"$out/dut.yaml"
	with_ports hosts >"$out/bench.yaml"
}

device_begin() {
	ip netns exec "$s" "$quench" run "$out/dut.yaml" --clock real --quiet --force \
		--out "$out/dut" --allow-storm 100s --instance "dut-$id" >"$out/log" 2>&1 &
	pid=$!
	await "$quench" stats --instance "dut-$id" --json >/dev/null 2>&1 ||
		fail "the device does not run"
}

# Starts a probe, with its table in $out/FOLDER.table and its progress in $out/FOLDER.log.
prober=''
probe_begin() { # FOLDER OPTION...
	local to=$1
	shift
	ip netns exec "$a" env --default-signal "$quench" probe "$out/bench.yaml" \
		--allow-storm 10s --instance "probe-$id" --out "$out/$to" --force "$@" \
		>"$out/$to.table" 2>"$out/$to.log" &
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
