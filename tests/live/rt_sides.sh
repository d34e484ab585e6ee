#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A conversation onto two ports with a kernel's bridge between them: each side leaves by its own
# port, in the order of the capture, and frames that the bridge drops are counted as lost.
# Needs root, ip, bridge, ethtool and python3; else it says so and is skipped (77).
# usage: rt_sides.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="replay onto two ports"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
command -v bridge >/dev/null || skip "no bridge (Debian: iproute2)"
net_begin

# The ends e1 and e2 of two cables are ports of a bridge.
ip netns add $a
ip -n $a link add br0 type bridge stp_state 0 mcast_snooping 0 2>/dev/null ||
	skip "no bridge in this kernel"
ip netns exec $a sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip netns exec $s sysctl -qw net.ipv6.conf.all.disable_ipv6=1
for i in 1 2; do
	ip link add "s$i" netns $s type veth peer name "e$i" netns $a
	ip netns exec $s ethtool -K "s$i" tx off rx off tso off gso off gro off >/dev/null
	ip netns exec $a ethtool -K "e$i" tx off rx off tso off gso off gro off >/dev/null
	ip -n $a link set "e$i" master br0
	ip -n $a link set "e$i" up
	ip -n $s link set "s$i" up
done
ip -n $a link set br0 up

# 30 frames, 60 ms apart; each has its number.
python3 - "$out/talk.pcap" <<'END'
import struct
import sys

with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for i in range(30):
        ends = (2, 1) if i % 3 == 1 else (1, 2)
        data = bytes([2, 0, 0, 0, 9, ends[1], 2, 0, 0, 0, 9, ends[0], 0x88, 0xB5, i])
        f.write(struct.pack("<IIII", 7, 60000 * i, 60, 60) + data.ljust(60, b"."))
END

# Writes port and number of each frame of ours that comes to the bridge.
cat >"$out/listen.py" <<'END'
import socket
import sys

s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
with open(sys.argv[1], "w", buffering=1) as f:
    f.write("listens\n")
    while True:
        data, where = s.recvfrom(2048)
        if where[2] != socket.PACKET_OUTGOING and data[12:14] == b"\x88\xb5":
            if where[0] in ("e1", "e2"):
                f.write(f"{where[0]} {data[14]}\n")
END

run() {
	rm -rf "$out/run"
	ip netns exec $s "$quench" replay "$out/talk.pcap" --device net_af_packet0,iface=s1 \
		--server-device net_af_packet1,iface=s2 --rate 1Gbps --quiet --no-huge \
		--out "$out/run" >"$out/log" 2>&1 || fail "quench ended with $?"
}

ip netns exec $a python3 "$out/listen.py" "$out/came" &
reader=$!
until grep -q listens "$out/came" 2>/dev/null; do
	kill -0 $reader || fail "nobody listens"
	sleep 0.05
done
run
kill $reader
wait $reader || true
for ((i = 0; i < 30; i++)); do
	[ $((i % 3)) = 1 ] && echo "e2 $i" || echo "e1 $i"
done >"$out/want"
sed 1d "$out/came" | cmp -s - "$out/want" || fail "order or side differs: $(sed 1d "$out/came")"
echo "ok: each side leaves by its port, in the order of the capture"

# sent, lost and more of each host are as given
sides() { # SENT,LOST,MORE of source, then of sink
	python3 - "$out/run/summary.json" "$@" <<'END' || fail "sides are not $*"
import json
import sys

with open(sys.argv[1]) as f:
    replays = {r["node"]: r for r in json.load(f)["replays"]}
names = ("tx_frames_total", "lost_frames_total", "extra_frames_total")
for node, side, want in zip(("source", "sink"), ("client", "server"), sys.argv[2:]):
    is_ = [replays[node][name] for name in names]
    if is_ != [int(n) for n in want.split(",")] or replays[node]["side"] != side:
        sys.exit(f"{node}: {is_}")
END
}
sides 20,0,0 10,0,0
echo "ok: the bridge lost nothing"

# The bridge believes the clients behind the servers' port: it filters what goes to them.
bridge -n $a link set dev e1 learning off
bridge -n $a fdb replace 02:00:00:00:09:01 dev e2 master static
run
sides 20,0,0 10,10,0
echo "ok: frames that the bridge filtered are lost, on their side"
