#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench replay` as a user sees it: a capture that was not sent whole fails, a capture with odd
# times is refused or warned of.
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

# Values of --set count for the length of the run, and even if an option says something else.
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

# conversation FILE FROM,TO...: frames between hosts by number, 1 ms apart
conversation() {
	python3 - "$@" <<'END'
import struct
import sys

with open(sys.argv[1], "wb") as f:
    f.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
    for i, pair in enumerate(sys.argv[2:]):
        sender, receiver = map(int, pair.split(","))
        data = bytes([2, 0, 0, 0, 0, receiver, 2, 0, 0, 0, 0, sender, 0x88, 0xB5])
        f.write(struct.pack("<IIII", 7, 1000 * i, 60, 60) + data.ljust(60, b"\0"))
END
}

same_replays() {
	python3 -c '
import json
one, two = (json.load(open(name))["replays"] for name in ("first.json", "again/summary.json"))
exit(one != two)'
}

# Both sides of a conversation arrive; a scenario with the same keys does the same.
conversation talk.pcap 1,2 2,1 1,2 2,1 2,1
conversation there.pcap 1,2 1,2
expect 0 talk.pcap
has out 'source, the client side: 2 frames wanted, 2 sent, 0 late; 3 received'
has out 'sink received 2 of 2, 0 lost$'
has out 'sink, the server side: 3 frames wanted, 3 sent, 0 late; 2 received'
has out 'source received 3 of 3, 0 lost$'
cp run/summary.json first.json
"$quench" run "$(dirname "$quench")/share/quench/config/replay.yaml" --out again --force \
	--set "hosts.source.replay.file='$PWD/talk.pcap'" --set hosts.source.replay.split=auto \
	--duration 14ms >out 2>err || complain "the keys do not run"
has out 'sink, the server side: 3 frames wanted, 3 sent, 0 late; 2 received'
same_replays || complain "the same keys give other figures"

# The scenario in the manifest of the run gives the same figures, too.
expect 0 talk.pcap there.pcap --speed 2x --duration 30ms
python3 -c '
import json
json.dump(json.load(open("run/manifest.json"))["resolved"], open("saved.yaml", "w"))'
cp run/summary.json first.json
"$quench" run saved.yaml --out again --force >out 2>err || complain "the manifest does not run"
same_replays || complain "the manifest gives other figures"

# Several files are merged, and one of them that is bad is named.
conversation back.pcap 2,1 2,1 2,1
expect 0 there.pcap back.pcap --split mac
has out 'source, the client side: 2 frames wanted, 2 sent'
has out 'sink, the server side: 3 frames wanted, 3 sent'
{ head -c 20 back.pcap; printf '\161\0\0\0'; tail -c +25 back.pcap; } >cooked.pcap
expect 2 there.pcap cooked.pcap
has err '^cooked.pcap: link type LINUX_SLL, Ethernet is wanted$'
head -c 24 back.pcap >none.pcap
expect 2 there.pcap none.pcap
has err '^none.pcap: holds no frame$'
expect 2 there.pcap nosuch.pcap
has err '^nosuch.pcap: No such file or directory$'

# Captures without two sides, and splits that are none.
conversation three.pcap 1,2 2,3 3,1
expect 2 three.pcap --split mac
has err '^three.pcap: it has three sides or more: 02:00:00:00:00:03 and 02:00:00:00:00:01 speak'
expect 0 three.pcap
has out 'source: 3 frames wanted, 3 sent, 0 late; 0 received'
has out 'sink received 3 of 3, 0 lost$'
expect 0 three.pcap --split 'mac 02:00:00:00:00:03'
has out 'source, the client side: 2 frames wanted, 2 sent, 0 late; 1 received'
expect 2 there.pcap --split mac
has err '^there.pcap: this split leaves the server side empty: no frame has a server.s source MAC'
expect 2 talk.pcap --split 'subnet 10.0/8'
has err "^quench replay: --split subnet 10.0/8: '10.0/8' is no network, as in 10.0.0.0/8 or"
# Without quotes the shell makes two words of it, and the network looks like a file.
expect 2 talk.pcap --split subnet 10.0.0.0/8
has err "^quench replay: --split subnet: name the network in the same word, as 'subnet 10.0.0.0/8'"
expect 2 talk.pcap --split cidr
has err '^quench replay: --split cidr: it is auto, mac, mac ADDRESS'
expect 2 talk.pcap --server-device net_null1
has err '^quench replay: --server-device is the second of two devices; name the first one by'

# Frames that will not arrive are counted before the run.
expect 0 talk.pcap --split none --set 'hosts.sink.replay={file: none}'
has err "host 'source': 3 of 5 frames of a round go to addresses behind the port by which they"
has out 'sink: 2 received'

expect 0 three.pcap --split 'mac 02:00:00:00:00:03'
has err "host 'source': 1 of 2 frames of a round .*; split: none sends all frames from one host to"
has out 'sink received 1 of 2, 1 lost$'

# A scenario of one's own, whose hosts have other names.
cat >own.yaml <<'END'
duration: 20ms
switches: {s1: {}}
hosts: {left: {}, right: {}}
links: [{between: [[left, right], s1], rate: 10Gbps}]
END
expect 0 talk.pcap --scenario own.yaml --host left --server-host right --speed 2x --loops 2
has out 'left, the client side: 4 frames wanted, 4 sent, 0 late; 6 received'
has out 'right, the server side: 6 frames wanted, 6 sent, 0 late; 4 received'
exit $fail
