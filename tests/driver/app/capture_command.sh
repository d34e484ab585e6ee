#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench capture against a running instance, from process to process: it has the frames that
# `capture: true` has; filter, count and time; several at once; what it says at its end.
# usage: capture_command.sh QUENCH HERE
set -eu
quench=$1
here=$2
dir=$(mktemp -d)
name=capture-command-$$
pid=

gone()
{
	[ -z "$pid" ] || { kill $pid 2>/dev/null && wait $pid 2>/dev/null; } || true
	rm -rf "$dir"
}
trap gone EXIT

fail()
{
	echo "capture_command: $*"
	cat "$dir/log" "$dir/err" 2>/dev/null || true
	exit 1
}

capture()
{
	"$quench" capture --instance $name "$@"
}

# Runs an instance with these options, until it answers.
start()
{
	"$quench" run "$here/capture.yaml" --clock real --no-huge --quiet --instance $name \
		--out "$dir/run" --force "$@" >"$dir/log" 2>&1 &
	pid=$!
	tries=0
	until capture s1:r --for 1us >/dev/null 2>"$dir/err"; do
		tries=$((tries + 1))
		[ $tries -lt 2000 ] && kill -0 $pid || fail "no capture begins"
	done
}

# Waits for a process, which ends with this status.
ends()
{
	status=0
	wait "$2" || status=$?
	[ $status -eq "$1" ] || fail "$3: exit status $status, $1 is right"
}

# Frames of one port: instant, direction and bytes of each.
frames()
{
	python3 - "$@" <<'END'
import struct, sys

path, want = sys.argv[1:]
data = open(path, "rb").read()
at, names = 0, []
while at < len(data):
    kind, size = struct.unpack_from("<II", data, at)
    assert struct.unpack_from("<I", data, at + size - 4)[0] == size
    body = data[at + 8:at + size - 4]
    if kind == 1:
        code, n = struct.unpack_from("<HH", body, 8)
        assert code == 2
        names.append(body[12:12 + n].decode())
    elif kind == 6:
        port, high, low, cap, wire = struct.unpack_from("<IIIII", body)
        assert cap == wire
        options, way = 20 + (cap + 3) // 4 * 4, None
        while options < len(body):
            code, n = struct.unpack_from("<HH", body, options)
            if code == 2:
                way = struct.unpack_from("<I", body, options + 4)[0]
            options += 4 + (n + 3) // 4 * 4
        if names[port] == want:
            print(high << 32 | low, way, body[20:20 + cap].hex())
    at += size
END
}

# Runs an instance with these options, and a capture of two of its ports beside it, which has
# frames when the run is stopped.
run_captured()
{
	start --duration 1000s "$@"
	: >"$dir/live"
	capture s1:r,s1:h1 -w "$dir/live" 2>"$dir/err" &
	live=$!
	tries=0
	until [ "$(wc -c <"$dir/live")" -gt 1000000 ]; do
		tries=$((tries + 1))
		[ $tries -lt 20000 ] && kill -0 $pid $live || fail "$what: too few frames"
	done
	"$quench" do --instance $name stop >/dev/null 2>"$dir/err-stop" ||
		fail "$what: $(cat "$dir/err-stop")"
	status=0
	wait $pid || status=$?
	[ $status -le 1 ] || fail "$what: exit status $status" # 1: a busy machine
	pid=
	ends 0 $live "$what: the capture"
}

# A capture has all frames of capture.pcapng from its own first one on, port by port. If the
# recorder has lost frames, because it had no time, the run is repeated more slowly.
# usage: same_frames NAME OPTION...
same_frames()
{
	what=$1
	shift
	for dilate in 20 80 320; do
		run_captured --dilate $dilate "$@"
		! grep -q '^0 frames lost, 0 of them' "$dir/err" ||
			! grep -q '"captures_lost": 0,' "$dir/run/summary.json" || break
		echo "$what, dilation $dilate: the recorder has lost frames"
	done
	grep -q '^0 frames lost, 0 of them' "$dir/err" || fail "$what: frames are lost"
	for port in s1:r s1:h1; do
		frames "$dir/live" $port >"$dir/got"
		frames "$dir/run/capture.pcapng" $port | sed -n "/^$(head -1 "$dir/got")$/,\$p" \
			>"$dir/want"
		[ "$(wc -l <"$dir/got")" -gt 100 ] || fail "$what: $port has no traffic"
		cmp "$dir/got" "$dir/want" || fail "$what: frames of $port differ"
	done
}

same_frames 'one lcore'
same_frames 'two lcores' -- --lcores=0@0,1@0,2@0 --main-lcore=0

# From here on traffic goes on for long.
start --dilate 20 --duration 1000s

# Lines, with port and direction, and the last lines.
capture s1:r --count 20 >"$dir/out" 2>"$dir/err" || fail "count"
[ "$(grep -c '  \(in \|out\) s1:r  ' "$dir/out")" -eq 20 ] || fail "--count 20 has other lines"
grep -q 'out s1:r  .*  (queue 3: [0-9]* bytes behind it' "$dir/out" || fail "no comment"
grep -q '^20 frames captured$' "$dir/err" || fail "the last lines do not count"
grep -q '^0 frames filtered out$' "$dir/err" || fail "the last lines count other frames"

# A filter, in several words; each marked frame was marked here.
capture s1:r udp and 'ip[1] & 3 = 3' --count 10 >"$dir/out" 2>"$dir/err" || fail "filter"
[ "$(grep -c '  CE  .*; marked here at [0-9]* bytes, probability [01]\.' "$dir/out")" -eq 10 ] ||
	fail "marked frames without comment"
grep -q '^0 frames filtered out$' "$dir/err" && fail "nothing is filtered out"

# PFC that stops h1.
capture s1:h1 ether proto 0x8808 --count 2 >"$dir/out" 2>"$dir/err" || fail "PFC"
[ "$(grep -c 'out s1:h1 .*  PFC X' "$dir/out")" -eq 2 ] || fail "no PFC"

# A time of the scene; a node for all its ports; four at once.
for i in 1 2 3 4; do
	capture s1 --for ${i}ms -w "$dir/$i" 2>"$dir/err$i" &
	eval "job$i=\$!"
done
for i in 1 2 3 4; do
	eval "ends 0 \$job$i 'capture $i of four'"
	grep -q '^[1-9][0-9]* frames captured$' "$dir/err$i" || fail "capture $i of four is empty"
done

# A reader that goes is no fault; a disk that is full is.
capture s1:r 2>"$dir/err" | head -3 >/dev/null
[ ! -s "$dir/err" ] || fail "a reader that goes is complained of"
status=0
capture s1:r -w /dev/full --for 1ms 2>"$dir/err" || status=$?
[ $status -eq 2 ] && grep -q '^quench capture: /dev/full: incomplete' "$dir/err" ||
	fail "a full disk: exit status $status"

# Bad words.
bad()
{
	said=$1
	shift
	status=0
	capture "$@" >"$dir/out" 2>"$dir/err" || status=$?
	[ $status -eq 2 ] || fail "capture $*: exit status $status, 2 is right"
	[ "$(wc -l <"$dir/err")" -eq 1 ] && grep -q "^quench capture: $said" "$dir/err" ||
		fail "capture $*: no line '$said'"
}
bad "the scene has no port or node 's1:q'; did you mean 's1:r'?$" s1:q
bad "filter 'udp and': " s1:r udp and
bad "name a port" --count 3

# Ctrl-C ends it, and it says what was captured.
"$quench" capture --instance $name s1:r -w "$dir/int" 2>"$dir/err" &
live=$!
tries=0
until [ -s "$dir/int" ]; do
	tries=$((tries + 1))
	[ $tries -lt 20000 ] && kill -0 $live || fail "nothing is captured"
done
kill -INT $live
ends 130 $live "SIGINT"
grep -q '^[1-9][0-9]* frames captured$' "$dir/err" || fail "SIGINT: no last lines"
grep -q '^0 frames filtered out$' "$dir/err" || fail "SIGINT: no counts"

# The run's end does, too.
capture s1:r -w "$dir/end" 2>"$dir/err" &
live=$!
tries=0
until [ -s "$dir/end" ]; do
	tries=$((tries + 1))
	[ $tries -lt 20000 ] && kill -0 $live || fail "nothing is captured"
done
kill -INT $pid
ends 130 $pid "the run"
pid=
ends 0 $live "the capture of a run that ends"
grep -q '^0 frames filtered out$' "$dir/err" || fail "the run's end: no counts"
