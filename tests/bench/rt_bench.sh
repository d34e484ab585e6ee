#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Frames per second on one lcore: the switch beside testpmd macswap, alternating, the median of
# five. Fails where either moves nothing, as suite `field` wants to know.
# usage: rt_bench.sh [BUILD] [ROUNDS] [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-$(dirname "${QUENCH:-build/quench}")} rounds=${2:-5} seconds=${3:-1}
prefix=quench-bench-$$

command -v dpdk-testpmd >/dev/null || {
	echo "rt_bench: dpdk-testpmd is missing (Debian: dpdk-dev);" \
		"scripts/install-deps --field brings it"
	exit 77
}
[ -x "$build/tests/bench/rt_bench" ] ||
	{ echo "rt_bench: build $build/tests/bench/rt_bench first"; exit 77; }
free=$(cat /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages 2>/dev/null || echo 0)
if [ "$free" -ge 150 ]; then
	memory=(--in-memory)
else
	memory=(--no-huge -m 300 --no-shconf)
	echo "no hugepages: both run in ordinary memory"
fi

# Mframes/s of testpmd: both ports' frames received, over $seconds.
testpmd() { # KIND BYTES
	local a="net_null0,size=$2" b="net_null1,size=$2" start=start out
	if [ "$1" = ring ]; then
		a=net_ring0 b=net_ring1 start="start tx_first 8"
	fi
	out=$({
		echo "set txpkts $2"
		echo "$start"
		sleep 0.5
		echo "show port stats all"
		sleep "$seconds"
		echo "show port stats all"
		echo stop
		echo quit
	} | timeout 60 dpdk-testpmd -l 0,1 --no-pci "${memory[@]}" --file-prefix "$prefix" \
		--log-level=error --vdev "$a" --vdev "$b" -- -i --forward-mode=macswap \
		--nb-cores=1 \
		--total-num-mbufs=8192 2>/dev/null)
	rm -rf "/var/run/dpdk/$prefix"
	awk '/Rx-pps/ {pps[++n] = $2} END {printf "%.2f\n", (pps[n] + pps[n - 1]) / 1e6}' <<<"$out"
}

quench() { # KIND BYTES
	"$build/tests/bench/rt_bench" tests/bench/rt_bench.yaml "$1" "$2" "$seconds" |
		awk '{print $1}'
}

median() {
	sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

printf '%-10s %7s %16s %16s %7s\n' device bytes "testpmd Mfps" "quench Mfps" ratio
for kind in null ring; do
	for bytes in 64 1082; do
		ours=() theirs=()
		for ((i = 0; i < rounds; i++)); do
			theirs+=("$(testpmd "$kind" "$bytes")")
			ours+=("$(quench "$kind" "$bytes")")
		done
		t=$(printf '%s\n' "${theirs[@]}" | median)
		q=$(printf '%s\n' "${ours[@]}" | median)
		if ! awk "BEGIN {exit !($t > 0 && $q > 0)}"; then
			echo "rt_bench: net_$kind, $bytes bytes: testpmd moved $t, quench $q" \
				"million frames a second"
			exit 1
		fi
		printf '%-10s %7d %16s %16s %7s\n' "net_$kind" "$bytes" "$t" "$q" \
			"$(awk "BEGIN {printf \"%.2f\", $q / $t}")"
	done
done
