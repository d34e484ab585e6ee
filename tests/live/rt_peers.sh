#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A peer that misbehaves, played by peer.py with raw frames over veth: it does not answer, it
# rejects, breaks off, disappears, denies, moves, comes back, takes our address, or asks for memory
# that it may not have. Each time there is one clear line, completed work is kept, other queue pairs
# go on, and nothing hangs.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_peers.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="peers that do not behave"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
net_begin
cable $a sa 10.1.1.99

ip netns exec $a python3 tests/live/peer.py e0 >"$out/peer" 2>&1 &
code=0
ip netns exec $s timeout 100 "$quench" run tests/live/rt_peers.yaml --clock real --workers 1 \
	--out "$out/run" >"$out/log" 2>&1 || code=$?
[ ! -s "$out/peer" ] || fail "the peer has ended: $(cat "$out/peer")"
[ $code = 0 ] || fail "quench ended with $code"
grep -q '"conserved": true' "$out/run/summary.json" || fail "not conserved"
grep -q '"pool_missing": 0' "$out/run/summary.json" || fail "descriptors are missing"

# One line for each fault.
says() { # PATTERN
	[ "$(grep -cE -- "^  $1" "$out/log")" = 1 ] || fail "expected once: $1"
}
says 'QP failed   silent.h>x.0.: no answer to connect'
says 'QP failed   rejects.h>x.0.: connection rejected: rejected by the consumer \(reason 28\)'
says 'QP failed   breaks.h>x.0.: remote operational error'
says 'QP failed   resets.h>x.0.: retries exceeded'
says 'QP failed   denies.h>x.0.: remote access error'
says 'QP waits    asks.x>h.0.: its peer asked to connect, and did not answer the REP'
says 'QP lost     returns.x>h.0.: its peer connected anew, and had forgotten the connection'
says 'refused     writes.x>h.0., QP 0x[0-9a-f]+: WRITE_ONLY: its R_Key is 0x00001c01, ours 0x0+1c00'
says 'refused     sends.h>x.0., QP 0x[0-9a-f]+: SEND_ONLY: it takes no requests'
says 'address     h: 10.1.1.2 has moved from 02:00:00:00:bb:01 to 02:00:00:00:bb:02 at '
says 'address     h: 10.1.1.1 is ours, at 02:00:00:00:aa:01 and was told by 02:00:00:00:cc:01'
[ "$(grep -cE '^  (QP|refused|address|not sent) ' "$out/log")" = 11 ] || fail "other lines"
echo "ok: each fault has its line"

# Messages completed before the fault, and all messages of flows that had none.
done_of() { # FLOW COUNT
	n=$(grep -c ",msg_done,.*,$1\[h>x.0\]," "$out/run/events.csv" || true)
	[ "$n" = "$2" ] || fail "$1: $n messages are done, not $2"
}
done_of silent 0
done_of rejects 0
done_of breaks 3
done_of resets 3
done_of denies 3
done_of moves 20
done_of parts 8
done_of sends 8
load=$("$quench" check tests/live/rt_peers.yaml --dump-flows | grep -c ' 256 ')
done_of load "$load"
# shellcheck source=tests/driver/app/summary.sh
. tests/driver/app/summary.sh
is "$out/run" flows message_complete_rx "0 2 1 "
grep -q ',refused,h:x,,writes.x>h.0.,rkey 0x1c01 not 0x1c00,' "$out/run/events.csv" ||
	fail "no event says that a request was refused"
grep -q ',peer_lost,h:x,,returns.x>h.0.,' "$out/run/events.csv" ||
	fail "no event says that a connection was lost"
echo "ok: what was done is kept, and the other flows go on"
