# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Shared by the live tests: namespaces of their own names, cables of veth, and an end that leaves
# nothing. Sourced by a test that has set `what`, a description of the test, and `quench`.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
id=$$
s=quench-s-$id a=quench-a-$id b=quench-b-$id
out=$(mktemp -d)
pid='' server='' reader=''

skip() {
	echo "SKIPPED: $1: $what is NOT tested"
	rm -rf "$out"
	exit 77
}

fail() {
	echo "FAILED: $1"
	[ -f "$out/log" ] && cat "$out/log"
	exit 1
}

# Ends what the test has started and takes away its namespaces, and with them their interfaces.
net_cleanup() {
	local p ns
	for p in $(jobs -p); do
		kill -KILL "$p" 2>/dev/null || true
		wait "$p" 2>/dev/null || true
	done
	for ns in $(ip netns list | awk -v id="-$id" '{
		if (index($1, "quench-") == 1 && substr($1, length($1) - length(id) + 1) == id)
			print $1 }'); do
		ip netns del "$ns" 2>/dev/null || true
	done
	umount "$out/full" 2>/dev/null || true
	rm -rf "$out"
}

net_begin() {
	[ "$(id -u)" = 0 ] || skip "not root"
	command -v ip >/dev/null || skip "no ip (Debian: iproute2)"
	command -v ethtool >/dev/null || skip "no ethtool (Debian: ethtool)"
	command -v python3 >/dev/null || skip "no python3"
	ip netns add "$s" 2>/dev/null || skip "no network namespaces here"
	trap net_cleanup EXIT
	ip netns exec "$s" true 2>/dev/null ||
		skip "no program may run in a network namespace here"
}

# A cable: its ends are $3 in the switch's namespace $s, and $2 in namespace $1.
join() { # NAMESPACE INTERFACE SWITCH-INTERFACE
	ip link add "$3" netns "$s" type veth peer name "$2" netns "$1"
	ip netns exec "$s" sysctl -qw "net.ipv6.conf.$3.disable_ipv6=1"
	ip netns exec "$1" sysctl -qw "net.ipv6.conf.$2.disable_ipv6=1"
	ip -n "$s" link set "$3" up
	ip -n "$1" link set "$2" up
}

# Waits until COMMAND succeeds. A busy machine takes its time, so this gives up after minutes, or
# when the process $pid, if there is one, has ended.
await() { # COMMAND...
	local i
	for ((i = 0; i < 3000; i++)); do
		! "$@" || return 0
		[ -z "$pid" ] || kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.05
	done
	return 1
}

# Ends a run before its time, as if that were over.
stop_run() { # INSTANCE
	"$quench" 'do' --instance "$1" stop >"$out/said" 2>&1 || fail "stop: $(cat "$out/said")"
}

# The switch's end $2 in $s, the kernel's end e0 in namespace $1; nothing may be left to a
# segmenting or checksumming NIC that veth only plays.
cable() { # NAMESPACE INTERFACE ADDRESS
	ip netns add "$1" 2>/dev/null || true
	join "$1" e0 "$2"
	ip netns exec "$s" ethtool -K "$2" tx off rx off tso off gso off gro off >/dev/null
	ip netns exec "$1" ethtool -K e0 tx off rx off tso off gso off gro off >/dev/null
	ip -n "$1" addr add "$3/24" dev e0
}

# Options of rt_veth.yaml that cut its switch into two shards. They and the main lcore share a
# processor, so that one is left for the kernels.
cut=(--set switches.s1.lcores=2 -- --lcores=0@0,1@0,2@0 --main-lcore=0)

# The run that has ended has lost no frame of a lossless class. Both of the switch's ports have
# received and sent some; where it is cut, they are two lcores'.
lost_nothing() {
	python3 - "$out/run/summary.json" <<'END' || fail "a lossless frame was lost"
import json
import sys

with open(sys.argv[1]) as f:
    run = json.load(f)
ports = [p for p in run["switch_port_counters"] if p["port"] in ("s1:a", "s1:b")]
ok = run["total"]["lossless_drops_total"] == 0 and len(ports) == 2
sys.exit(not (ok and all(p["rx_frames"] > 0 and p["tx_frames"] > 0 for p in ports)))
END
}

# Frames of raw sockets from namespace $1's interface $2 to $b's e0: they come as they were sent.
same_frames() { # NAMESPACE INTERFACE FRAME...
	local ns=$1 interface=$2
	shift 2
	python3 tests/live/frames.py frame "$@" | sort >"$out/sent.hex"
	ip netns exec "$b" python3 tests/live/frames.py serve e0 "$(wc -l <"$out/sent.hex")" \
		"$out/came.hex" &
	reader=$!
	await [ -e "$out/came.hex" ] || fail "nobody listens"
	ip netns exec "$ns" python3 tests/live/frames.py send "$interface" "$@"
	wait "$reader" || fail "frames are missing: $*"
	reader=''
	sort "$out/came.hex" | cmp -s - "$out/sent.hex" || fail "frames came changed: $*"
	rm "$out/came.hex"
}
