#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Faults around a run on real ports: each time one clear line, the results so far kept, nothing
# hangs, and the port's settings are put back.
# Needs root, ip, ethtool, setpriv and python3; else it says so and is skipped (77).
# usage: rt_faults.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="what goes wrong around real ports"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_veth.yaml
frames=$PWD/tests/live/frames.py
net_begin
cable $a sa 10.1.1.1
cable $b sb 10.1.1.2

run() { # OPTION...
	ip netns exec $s timeout 300 "$quench" run "$scenario" --clock real --quiet "$@" \
		>"$out/log" 2>&1
}

begin() { # OPTION...
	rm -rf "$out/run"
	ip netns exec $s "$quench" run "$scenario" --clock real --quiet --out "$out/run" "$@" \
		>"$out/log" 2>&1 &
	pid=$!
	await begun || fail "the run does not begin"
}

begun() {
	"$quench" stats --instance "$pid" >/dev/null 2>&1
}

# The run's end with one of the exit codes, and everything accounted for.
ended() { # CODE...
	local code=0 c
	wait "$pid" || code=$?
	pid=''
	for c in "$@"; do
		[ "$c" != "$code" ] || break
	done
	[ "$c" = "$code" ] || fail "quench ended with $code"
	grep -q '"conserved": true' "$out/run/summary.json" || fail "not conserved"
	grep -q '"pool_missing": 0' "$out/run/summary.json" || fail "descriptors are missing"
	as_it_was
}

# sa is not promiscuous and has its MTU.
as_it_was() {
	ip -n $s -d link show sa | tr -d '\n' | grep -q 'mtu 1500.* promiscuity 0 ' ||
		fail "the port's settings were not put back: $(ip -n $s -d link show sa)"
}

says() { # PATTERN
	grep -qE -- "$1" "$out/log" || fail "expected: $1"
}

frames_from_a() { # COUNT
	ip netns exec $a python3 "$frames" send e0 "-/1000*$1"
}

# No permission: root's number without its capability, since only root enters a namespace.
if ip netns exec $s setpriv --bounding-set -net_raw --inh-caps -net_raw timeout 300 "$quench" run \
	"$scenario" --clock real --quiet --out "$out/none" >"$out/log" 2>&1; then
	fail "it ran without CAP_NET_RAW"
fi
says '^port s1:a: .*CAP_NET_RAW'
as_it_was
chmod 711 "$out"
mkdir -m 777 "$out/user"
if (cd / && XDG_RUNTIME_DIR=$out/user ip netns exec $s setpriv --reuid 65534 --regid 65534 \
	--clear-groups timeout 300 "$quench" run "$scenario" --clock real --quiet \
	--out "$out/user/run" >"$out/log" 2>&1); then
	fail "it ran as an ordinary user"
fi
says '^port s1:a: .*CAP_NET_RAW'
as_it_was
echo "ok: no permission"

# A lcore that does not exist.
if run --out "$out/none" --set ports.s1:a.lcore=99; then
	fail "it ran on lcore 99"
fi
says 'lcore 99'
as_it_was
echo "ok: a lcore that does not exist"

# Too few hugepages: none of them is taken, and a line says so.
pages=/proc/sys/vm/nr_hugepages
had=$(cat $pages)
trap 'echo "$had" >$pages; net_cleanup' EXIT
echo 4 >$pages
if [ "$(cat $pages)" = 4 ]; then
	run --out "$out/few" --set duration=50ms || fail "it does not run with few hugepages"
	says '^hugepages: [0-9]* MB free of the [0-9]* MB needed: ordinary memory instead'
	as_it_was
	echo "ok: too few hugepages"
else
	echo "SKIPPED: the kernel gives no hugepages: too few of them are NOT tested"
fi
echo "$had" >$pages
trap net_cleanup EXIT

# Too little memory.
if run --out "$out/none" -- -m 1 --no-huge; then
	fail "it ran in 1 MB"
fi
says 'DPDK does not start|no memory for [0-9]* packets'
as_it_was
echo "ok: too little memory"

# A full disk under a capture.
mkdir "$out/full"
mount -t tmpfs -o size=400k none "$out/full" || skip "no tmpfs"
ip netns exec $s "$quench" run "$scenario" --clock real --out "$out/full/run" \
	--set ports.s1:a.capture=true >"$out/log" 2>&1 &
pid=$!
await begun || fail "the run does not begin"
frames_from_a 2000
await grep -q 'capture.pcapng: incomplete' "$out/log" || fail "nothing is said of a full disk"
stop_run "$pid"
code=0
wait "$pid" || code=$?
pid=''
[ "$code" = 2 ] || fail "a full disk: quench ended with $code"
says 'capture.pcapng: incomplete: No space left .*: recording stopped at .* us; the run goes on$'
says '^  FILES  .*capture.pcapng: incomplete'
says 'goodput|bottleneck'
grep -q '"capture.pcapng: incomplete' "$out/full/run/manifest.json" ||
	fail "the manifest is silent"
as_it_was
umount "$out/full"
echo "ok: a full disk under a capture"

# A second instance of the same name.
begin --instance twice
if run --out "$out/none" --instance twice --set duration=100ms \
	--set 'ports.s1:a.device=net_null0,size=64' \
	--set 'ports.s1:b.device=net_null1,size=64'; then
	fail "two runs have one name"
fi
says '^--instance twice: .*runs already, scenario rt-veth, pid [0-9]*; give another name$'
kill -INT "$pid"
ended 130
echo "ok: a second instance of the same name"

# SIGKILL: a tap goes with the process, sa is as it was, and the next start cleans up.
begin --set ports.s1:a.device=net_tap0,iface=ta
runtime=/var/run/dpdk/quench-$pid
[ -d "$runtime" ] || fail "no runtime folder $runtime"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
pid=''
ip -n $s link show ta >/dev/null 2>&1 && fail "the tap is still there"
ip -n $s -d link show sb | grep -q 'promiscuity 0 ' || fail "sb is promiscuous after SIGKILL"
run --out "$out/none" --set duration=50ms || fail "the next run does not start"
[ ! -e "$runtime" ] || fail "the next run has left $runtime"
as_it_was
for made in "net_vhost0,iface=$out/socket" \
	"net_memif0,role=server,socket-abstract=no,socket=$out/socket"; do
	for signal in KILL INT; do
		begin --set "ports.s1:a.device=$made" --set ports.s1:a.mtu=1518
		kill -$signal "$pid"
		[ $signal = INT ] || wait "$pid" 2>/dev/null || true
	done
	ended 130
	rm -f "$out/socket"
done
echo "ok: SIGKILL, the next start cleans up"

# The program of net_af_xdp stays at sa, and goes with the end of the next run.
for signal in KILL INT; do
	begin --set ports.s1:a.device=net_af_xdp0,iface=sa
	kill -$signal "$pid"
	[ $signal = INT ] || wait "$pid" 2>/dev/null || true
done
ended 130
ip -n $s -d link show sa | grep -q 'prog/xdp' && fail "sa keeps its XDP program"
echo "ok: SIGKILL with net_af_xdp, the next end cleans up"

# Rubbish on the telemetry socket: the run goes on, and others are answered.
begin
python3 - "/var/run/dpdk/quench-$pid/dpdk_telemetry.v2" <<'EOF'
import os
import random
import socket
import sys

random.seed(1)


def client():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(2)
    s.connect(sys.argv[1])
    return s


def send(data, wait):
    s = client()
    try:
        s.recv(4096)
        s.send(data)
        if wait:
            s.recv(65536)
    except OSError:
        pass
    s.close()


for i in range(200):
    send(random.randbytes(random.randrange(1, 1100)), i % 2)
for data in (b"/" * 1023, b"/quench/ports," + b"x" * 1000, b"/quench/metrics," + b"*" * 1000,
             b"/quench/counters,\0\xff\n", b"/quench/reg/read,,,,,,", b"/quench/info" * 80,
             b"/quench/metrics,99999999999999999999999", b"/quench/counters,%s%n%d", b",", b"\0"):
    send(data, True)
    send(data, False)
held = []
for _ in range(30):  # more than the server takes; none says a word
    try:
        held.append(client())
    except OSError:
        break
for s in held:
    s.close()
EOF
"$quench" stats --instance "$pid" >/dev/null 2>"$out/said" || fail "stats: $(cat "$out/said")"
kill -INT "$pid"
ended 130
echo "ok: rubbish on the telemetry socket"
