#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A capture that is packed, cut in places and rewritten, sent in rounds, on both clocks: the same
# frames come, be they read ahead by a thread or not.
# usage: replay_clocks_command.sh QUENCH
set -u
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

fail() {
	echo "replay_clocks_command: $1"
	cat out err
	exit 1
}

# 300 frames, 100 us apart, of 60 to 1000 octets, every tenth cut to 40.
python3 - <<'END'
import gzip
import struct

with gzip.open("frames.pcap.gz", "wb") as f:
    f.write(struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
    for i in range(300):
        octets = 60 + i * 37 % 941
        has = 40 if i % 10 == 9 else octets
        data = bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xB5, i >> 8, i & 255])
        f.write(struct.pack("<IIII", 7, i * 100000, has, octets) + data.ljust(has, b"."))
END
cat >scene.yaml <<'END'
name: scene
duration: 150ms
sample: 10ms
switches: {s1: {fdb: [{mac: "02:00:00:00:00:02", port: "s1:sink", vlan: 9}]}}
hosts:
  source:
    replay:
      file: frames.pcap.gz
      loops: 3
      speed: 2x
      cut: pad
      rewrite: [{field: vlan, to: 9}]
  sink: {replay: {file: none}}
links: [{between: [[source, sink], s1], rate: 10Gbps}]
ports: {"s1:sink": {capture: true}}
END
# The frames of a run's capture, without their instants.
frames() {
	"$quench" decode "$1/capture.pcapng" | sed '1d; s/^ *[0-9.]* *//'
}
for clock in virtual real; do
	"$quench" run scene.yaml --clock $clock --no-huge --out $clock >out 2>err ||
		fail "$clock ends with $?"
	grep -q 'source: 900 frames wanted, 900 sent' out || fail "$clock: not 900 sent"
	grep -q 'filled up with zeros: 30 frames that the capture cut' err ||
		fail "$clock: no warning"
	frames $clock >$clock.txt
	[ "$(grep -c 'vlan 9' $clock.txt)" = 900 ] || fail "$clock: not 900 frames in VLAN 9"
done
diff virtual.txt real.txt >out || fail "the clocks differ"

# A conversation of 40 frames, 20 ms apart, from two sides. All of it passes the sink's port in the
# order of the capture, on both clocks.
python3 - <<'END'
import struct

with open("talk.pcap", "wb") as f:
    f.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for i in range(40):
        ends = (1, 2) if i % 3 else (2, 1)
        data = bytes([2, 0, 0, 0, 9, ends[1], 2, 0, 0, 0, 9, ends[0], 0x88, 0xB5])
        f.write(struct.pack("<IIII", 7, 20000 * i, 60 + i, 60 + i) + data.ljust(60 + i, b"."))
END
cat >sides.yaml <<'END'
name: sides
duration: 850ms
sample: 100ms
switches: {s1: {}}
hosts:
  source: {replay: {file: talk.pcap, split: mac}}
  sink: {replay: {file: none, other_side_of: source}}
links: [{between: [[source, sink], s1], rate: 10Gbps}]
ports: {"s1:sink": {capture: true}}
END
"$quench" decode talk.pcap | sed '1,2d; s/^ *[0-9.]* *//' >sent.txt
for clock in virtual real; do
	"$quench" run sides.yaml --clock $clock --no-huge --out sides-$clock >out 2>err ||
		fail "sides, $clock: ends with $?"
	grep -q 'source, the client side: 14 frames wanted, 14 sent' out ||
		fail "sides, $clock: not 14 of the clients"
	grep -q 'sink, the server side: 26 frames wanted, 26 sent' out ||
		fail "sides, $clock: not 26 of the servers"
	[ "$(grep -cE 'received (14 of 14|26 of 26), 0 lost$' out)" = 2 ] ||
		fail "sides, $clock: some are lost"
	"$quench" decode sides-$clock/capture.pcapng | sed '1,2d; s/^ *[0-9.]* *//' >came.txt
	diff sent.txt came.txt >out || fail "sides, $clock: another order"
done
