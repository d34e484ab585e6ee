#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a user of `quench replay` sees: a capture that was not sent whole fails, one of odd times is
# refused or warned of.
# usage: replay_command.sh QUENCH
set -u
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "replay_command: $1"
	cat out err
	fail=1
}

# capture FILE SECONDS,MICROSECONDS[,CUT]...: a classic pcap of frames of 60 bytes at these
# instants, of which it has CUT bytes
capture() {
	python3 - "$@" <<'END'
import struct
import sys

with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for at in sys.argv[2:]:
        seconds, micros, has = [*map(int, at.split(",")), 60][:3]
        f.write(struct.pack("<IIII", seconds, micros, has, 60))
        f.write(bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xB5]).ljust(has, b"\0"))
END
}

# expect STATUS ARGUMENT...
expect() {
	local status=$1
	shift
	timeout 60 "$quench" replay "$@" --force --out run >out 2>err
	local got=$?
	[ $got -eq "$status" ] || complain "$*: exit status $got, $status is right"
}

has() {
	grep -qE -- "$2" "$1" || complain "$1 lacks '$2'"
}

capture good.pcap 7,0 7,3
expect 0 good.pcap
has out 'source: 2 frames wanted, 2 sent, 0 late; '
expect 0 good.pcap --loops 5
has out 'source: 10 frames wanted, 10 sent, '
expect 0 good.pcap --duration 2us
has out 'source: 1 frame wanted of 2, 1 sent, '

# 20 frames at once, of 672 ns each on the wire, and no time to send them all.
capture burst.pcap 7,0{,,,}{,,,,}
expect 1 burst.pcap --duration 20us --set links.0.rate=100Mbps
has out 'NOT REPLAYED  source sent [0-9]* of 20 frames due$'
has run/junit.xml 'replay_unsent_frames is [0-9]*; at most 0 was expected'

expect 2 - <good.pcap
has err 'standard input can be read only once, and a replay reads its capture more often'

capture back.pcap 7,0 7,5 7,2 7,1 7,9
expect 0 back.pcap
has err "the capture's clock goes back at frame 3, 2 times in all"
has out 'source: 5 frames wanted, 5 sent, '

capture late.pcap 7,0 2000000007,0
expect 2 late.pcap
has err '^late.pcap: frame 2 comes 2000000000 s after the first; 18446744 s .* are the most$'
capture long.pcap 7,0 200000,0
expect 2 long.pcap
hint='--duration says how much of it to send'
has err "^long.pcap: takes longer than 100000 s, the longest run; $hint$"
expect 0 long.pcap --duration 1ms
# No run gets as far as the rounds that are beyond 2^64 ps.
expect 0 long.pcap --duration 1ms --loops 200
has out 'source: 1 frame wanted of 400, 1 sent, '
expect 2 long.pcap --speed 0.001x
has err '^long.pcap: frame 2 comes 199993000 s after the first; 18446744 s .* are the most$'

# At a pace, packed, and without an end that is known before.
expect 0 good.pcap --speed 2x --loops 3
has out 'source: 6 frames wanted, 6 sent, 0 late; '
expect 0 good.pcap --speed top --loops 1000
has out 'source: 2000 frames wanted, 2000 sent, 0 late; '
expect 0 good.pcap --speed 100Kpps --rate 1Gbps
expect 2 good.pcap --speed fast
has err '^quench replay: --speed fast: it is 1x .as recorded., 2.5x, 10Gbps, 1Mpps or top$'
expect 2 good.pcap --speed 0.0000001x
has err '^quench replay: --speed 0.0000001x: it is 0.000001x to 1000000x$'
expect 2 good.pcap --speed 0pps
has err '^quench replay: --speed 0pps: it is 1pps at least$'
expect 2 good.pcap --speed 99Kbps
has err '^quench replay: --speed 99Kbps: it is 100Kbps at least$'
expect 2 good.pcap --set hosts.source.replay.speed=0x
has err ".0x' is no speed; it is 0.000001x to 1000000x$"
gzip -k good.pcap
expect 0 good.pcap.gz
has out 'source: 2 frames wanted, 2 sent, 0 late; '
head -c 50 good.pcap.gz >cut.pcap.gz
expect 2 cut.pcap.gz
has err '^cut.pcap.gz: .*: it ends after 50 bytes, within what is packed; give the whole file'
head -c 150 good.pcap >cut.pcap
expect 2 cut.pcap
has err '^cut.pcap: frame 2 cannot be read: the file is cut short: it has 60 bytes, 34 of them'

# What is set is part of how long the run is, and counts where an option says something else.
replay=hosts.source.replay
expect 0 good.pcap --loops 5 --set $replay.gap=30ms --set $replay.start=30ms
has out 'source: 10 frames wanted, 10 sent, '
has out '160\.0[0-9]* ms simulated'
expect 0 good.pcap --speed top --set $replay.speed=0.0001x --set $replay.loops=2
has out 'source: 4 frames wanted, 4 sent, '
has out '70\.0[0-9]* ms simulated'
capture snap.pcap 7,0,40 7,30000,40
expect 0 snap.pcap --set $replay.cut=pad
has out 'source: 2 frames wanted, 2 sent, '
expect 2 snap.pcap
has err '^snap.pcap: none of its frames can be sent, 2 in all: .* snap length \(`cut: pad` fills'
# Without --speed a scenario keeps its own.
cat >slow.yaml <<'END'
duration: 1ms
hosts: {source: {replay: {file: none, speed: 0.0001x}}, sink: {replay: {file: none}}}
links: [{between: [source, sink], rate: 10Gbps}]
END
expect 0 good.pcap --scenario slow.yaml
has out '40\.0[0-9]* ms simulated'

# A name is a name, whatever YAML would make of it.
name="it's a: [frame] #1.pcap"
cp good.pcap "$name"
expect 0 "$name"
has out 'source: 2 frames wanted, 2 sent, '
cp snap.pcap "$name"
expect 2 "$name"
has err "^it's a: .frame. #1.pcap: none of its frames can be sent, 2 in all: "

for duration in '' '--duration 1ms'; do
	expect 2 nosuch.pcap $duration
	has err '^nosuch.pcap: No such file or directory$'
	expect 2 . $duration
	has err '^\.: Is a directory; a file is wanted$'
done

expect 2 good.pcap --loops 4294967295000
has err 'loops: '
expect 0 good.pcap --loops 4294967295 --duration 1ms
exit $fail
