#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A run under valgrind, from its start to its files and its table. No memory is read or written that
# is not allocated, and nothing depends on memory that was never written. Valgrind offers a
# processor without AVX-512, and DPDK and ISA-L choose their code accordingly.
# usage: memcheck.sh QUENCH ARGUMENT...    arguments of `quench run`; with WIRE=veth in the
# environment the run is in a network namespace that has the two ends sa and sb of a cable
set -eu
quench=$(realpath "$1")
shift
dir=$(mktemp -d)
ns=quench-m-$$
inside=
trap 'ip netns del $ns 2>/dev/null || true; rm -rf "$dir"' EXIT
if [ "${WIRE:-}" = veth ]; then
	{ [ "$(id -u)" = 0 ] && ip netns add $ns 2>/dev/null; } ||
		{ echo "SKIPPED: no network namespaces: a cable is NOT tested"; exit 77; }
	inside="ip netns exec $ns"
	$inside ip link add sa type veth peer name sb
	for i in sa sb; do
		$inside sysctl -qw net.ipv6.conf.$i.disable_ipv6=1
		$inside ethtool -K $i tx off rx off tso off gso off gro off >/dev/null
		$inside ip link set $i up
	done
fi
cd "$dir"
status=0
# shellcheck disable=SC2086 # no word or some
$inside valgrind -q --error-exitcode=99 --fair-sched=yes "$quench" run --out out "$@" \
	>log 2>&1 || status=$?
# 1: a loop came so late that a criterion of the run does not hold.
[ $status -le 1 ] || { cat log; exit $status; }
# A run that went wrong before its end would have been looked at only in part.
[ -s out/summary.json ] || { cat log; echo "memcheck: the run has no summary"; exit 1; }
# Valgrind says by such a line that it cannot read a program.
! grep '^--[0-9]*-- .*\|debuginfo reader' log || exit 1
