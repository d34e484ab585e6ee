#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Strangers between two parts of a scenario: whoever repeats hellos, or sends them back with
# something changed, neither stops the parts from starting nor keeps a dead one alive. With a key
# nor does who makes hellos up.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_strangers.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="strangers between parts"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/driver/app/part.yaml
net_begin

# Two ends of a bridge, where the stranger is.
ip netns add $a
ip netns add $b
for end in h:$a r:$b; do
	ip link add "m${end%%:*}" netns $s type veth peer name e0 netns "${end#*:}"
	ip netns exec "${end#*:}" sysctl -qw net.ipv6.conf.e0.disable_ipv6=1
	ip netns exec $s sysctl -qw "net.ipv6.conf.m${end%%:*}.disable_ipv6=1"
	ip -n "${end#*:}" link set e0 up
done
ip -n $s link add br0 type bridge mcast_snooping 0
ip netns exec $s sysctl -qw net.ipv6.conf.br0.disable_ipv6=1
for end in mh mr; do
	ip -n $s link set $end master br0
	ip -n $s link set $end up
done
ip -n $s link set br0 up

stranger() { # WAY EVERY-MS
	ip netns exec $s python3 tests/live/strangers.py "$1" "$2" mh mr >"$out/heard" 2>&1 &
	stranger=$!
}

end_stranger() {
	kill -KILL $stranger
	wait $stranger 2>/dev/null || true
}

part() { # NAMESPACE NODE PEER OPTION...
	local ns=$1 node=$2 peer=$3
	shift 3
	ip netns exec "$ns" timeout 300 "$quench" run "$scenario" --clock real --nodes "$node" \
		--no-huge --workers 1 --dilate 50 --set poll=yield --set drain=8ms --quiet \
		--set "ports.$node:$peer.device=net_af_packet0,iface=e0" \
		--instance "strangers-$node-$id" --out "$out/$node" "$@" >"$out/log-$node" 2>&1
}

both() { # OPTION...
	rm -rf "$out/h" "$out/r"
	code=0
	part $b r h "$@" &
	pid=$!
	part $a h r "$@" || code=$?
	wait $pid || code=$?
}

strangers_of() { # NODE
	python3 -c '
import json, sys
with open(sys.argv[1]) as f:
    print(int(json.load(f)["devices"][0]["stranger_hellos"]))' "$out/$1/summary.json"
}

both
[ $code = 0 ] || fail "two parts alone end with $code: $(cat "$out"/log-?)"
[ "$(strangers_of h)$(strangers_of r)" = 00 ] || fail "the peer's hellos count as a stranger's"
grep -q "hellos are not signed" "$out/log-h" || fail "nothing is said of hellos without a key"
echo "ok: nobody between"

for every in 20 1; do
	stranger changed $every
	both
	end_stranger
	[ $code = 0 ] || fail "changed hellos each $every ms: $(cat "$out"/log-?)"
	[ "$(strangers_of h)" -gt 10 ] || fail "changed hellos are not counted"
	echo "ok: changed hellos each $every ms; $(strangers_of h) and $(strangers_of r) were a" \
		"stranger's"
done

# The stranger speaks while both parts run.
is_spoken_to() { # NODE PEER
	"$quench" stats --instance "strangers-$1-$id" --json "device.$1:$2.stranger_hellos" \
		2>/dev/null | python3 -c 'import json, sys
seen = json.loads(sys.stdin.readline() or "{}").get("metrics", {0: 0}).values()
sys.exit(min(seen) < 6)'
}

# r dies while the stranger is there.
r_dies() { # OPTION...
	rm -rf "$out/h" "$out/r"
	part $b r h --duration 1000s --set flows.messages.count=none "$@" &
	pid=$!
	part $a h r --duration 1000s --set flows.messages.count=none "$@" &
	mine=$!
	await is_spoken_to h r || fail "h hears no stranger"
	await is_spoken_to r h || fail "r hears no stranger"
	dead=$(ip netns pids $b)
	# shellcheck disable=SC2086
	kill -KILL $dead
	wait $pid 2>/dev/null || true
	code=0
	wait $mine || code=$?
	end_stranger
}

is_missed() { # WHAT
	[ $code = 1 ] || fail "$1: exit status $code: $(cat "$out/log-h")"
	grep -q "the part at r:h has fallen silent" "$out/log-h" || fail "$(cat "$out/log-h")"
	[ "$(strangers_of h)" -gt 5 ] || fail "$1: hellos are not counted"
	echo "ok: $1 is missed"
}
stranger old 100
r_dies
is_missed "a dead peer whose hellos come again"

# With a key nobody can make hellos up.
(umask 077 && echo secret >"$out/key" && printf secret >"$out/same" && echo other >"$out/other")
stranger ahead 20
r_dies --parts-key "$out/key"
is_missed "a dead peer for whom a stranger without the key speaks"

stranger changed 1
rm -rf "$out/h" "$out/r"
code=0
part $b r h --parts-key "$out/same" &
pid=$!
part $a h r --parts-key "$out/key" || code=$?
wait $pid || code=$?
end_stranger
[ $code = 0 ] || fail "the same key with and without a line end: $(cat "$out"/log-?)"
grep -q '"hellos_signed": true' "$out/h/manifest.json" || fail "the manifest says nothing of a key"
! grep -q "hellos are not signed" "$out"/log-? || fail "hellos were signed"
echo "ok: strangers without the key"

for other in none other; do
	none=(--parts-key "$out/other")
	says="this key does not sign"
	[ $other = other ] || none=() says="a key signs, and this part has none"
	r=0 h=0
	part $b r h "${none[@]}" --wait-parts 5s &
	pid=$!
	part $a h r --parts-key "$out/key" --wait-parts 5s || h=$?
	wait $pid || r=$?
	[ $h$r = 22 ] || fail "$other: exit status $h and $r"
	grep -q "for hellos come that this key does not sign; give all" "$out/log-h" ||
		fail "$other: $(cat "$out/log-h")"
	grep -q "for hellos come that $says; give all" "$out/log-r" ||
		fail "$other: $(cat "$out/log-r")"
done
grep -q "hellos are not signed" "$out/log-r" && fail "hellos were signed"
echo "ok: two parts with other keys say so"
