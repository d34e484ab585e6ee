#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# scripts/lab-tune on an interface of this kernel, a veth in a namespace of its own: MTU and
# offloads change as it says, and undo leaves what ethtool shows as it was.
# Needs root, ip and ethtool; else it says so and is skipped (77).
# usage: lab_tune.sh SOURCE_ROOT
set -euo pipefail
tune=$1/scripts/lab-tune
ns=quench-tune-$$
dir=$(mktemp -d)
trap 'ip netns del "$ns" 2>/dev/null || true; rm -rf "$dir"' EXIT

skip()
{
	echo "SKIPPED: $1: lab-tune on a kernel's interface is NOT tested"
	exit 77
}

fail()
{
	echo "FAILED: $1"
	[ ! -f "$dir/log" ] || cat "$dir/log"
	exit 1
}

inside()
{
	ip netns exec "$ns" "$@"
}

shows()
{
	inside ethtool -k t0
	inside cat /sys/class/net/t0/mtu
}

[ "$(id -u)" = 0 ] || skip "not root"
command -v ip >/dev/null || skip "no ip (Debian: iproute2)"
command -v ethtool >/dev/null || skip "no ethtool (Debian: ethtool)"
ip netns add "$ns" 2>/dev/null || skip "no network namespaces here"
inside true 2>/dev/null || skip "no program may run in a network namespace here"
ip -n "$ns" link add t0 type veth peer name t1
shows >"$dir/before"

inside "$tune" apply --iface t0 --mtu 9000 --no-offloads --no-pause --state "$dir/state" \
	>"$dir/log" 2>&1 || fail "apply"
grep -qx 'skipped: the driver of t0 has no PAUSE to switch' "$dir/log" || fail "PAUSE of a veth"
shows >"$dir/after"
for line in 'generic-segmentation-offload: off' 'generic-receive-offload: off' \
	'rx-checksumming: off' 'tx-checksumming: off' 'tcp-segmentation-offload: off' \
	'rx-vlan-offload: off' 'tx-vlan-offload: off' 9000; do
	grep -q "^$line" "$dir/after" || { cat "$dir/after"; fail "not '$line'"; }
done
inside "$tune" undo --state "$dir/state" >"$dir/log" 2>&1 || fail "undo"
shows >"$dir/after"
diff "$dir/before" "$dir/after" || fail "undo leaves something changed"
[ ! -e "$dir/state" ] || fail "undo leaves its notes"
echo "ok: MTU and offloads of a veth, and back"

code=0
inside "$tune" apply --iface t0 --mtu 99999 --state "$dir/state" >"$dir/log" 2>&1 || code=$?
[ "$code" = 1 ] || fail "an MTU that the kernel refuses: exit status $code, 1 is right"
grep -qx 'refused: MTU of t0: Invalid argument' "$dir/log" || fail "the refusal is not told"
echo "ok: an MTU that the kernel refuses is told"
