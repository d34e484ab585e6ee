#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench ports on devices without hardware: a table, JSON, frames that come back and that do not;
# and a run that keeps the same in its manifest.
# usage: ports_devices_command.sh QUENCH
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "ports_devices_command: $1"
	cat log
	exit 1
}

"$quench" ports --no-huge net_ring0 net_null0 --selftest loop >log 2>&1 || fail "status $?"
grep -q '^net_ring0$' log || fail "no ring"
grep -q 'PFC frames  *ok  *a PFC frame of net_ring0 arrives' log || fail "no PFC"
grep -q 'MAC under XOFF  *ok  *16 frames .* 16 left it' log || fail "no XOFF"
grep -q 'clock drift' log || fail "no clock"
"$quench" ports --no-huge --json net_null0 >log 2>err || fail "status $?"
grep -q '{"subject": "net_null0", "what": "driver", "verdict": "ok"' log || fail "no JSON"

cat >x.yaml <<'EOF'
name: x
duration: 2ms
hosts: {a: {}, b: {}}
switches: {s: {}}
links: [{between: [a, s], rate: 1Gbps}, {between: [b, s], rate: 1Gbps}]
ports: {"s:a": {device: net_ring0, selftest: loop}}
EOF
"$quench" ports --no-huge x.yaml --set ports.s:a.selftest=none >log 2>&1 || fail "status $?"
grep -q '^s:a$' log || fail "no port"
! grep -q 'PFC frames' log || fail "frames were sent"
# Of a part, its own devices only: that of b is nowhere on this machine.
both="--set ports.s:b.device=net_ring1 --set ports.b:s.device=0000:ff:1f.7"
# shellcheck disable=SC2086
"$quench" ports --no-huge x.yaml $both --set ports.a:s.device=0000:ff:1f.6 --nodes s >log 2>&1 ||
	fail "--nodes: status $?"
grep -q '^s:a$' log && grep -q '^s:b$' log || fail "--nodes: no port"
! grep -q '^b:s$' log || fail "--nodes: the device of another part was opened"
refused()
{
	want=$1
	shift
	rc=0
	"$quench" ports --no-huge "$@" >log 2>&1 || rc=$?
	[ $rc -eq 2 ] && grep -qF -- "$want" log || fail "$*: status $rc"
}
refused "port s:b: 'b' is not among --nodes, so this link leaves the process" x.yaml --nodes s
refused "there is no node 'q'" x.yaml --nodes q
sed /ports:/d x.yaml >none.yaml
refused "none.yaml has no device at these nodes" none.yaml --nodes a,b,s
refused "--nodes is for a scenario, not for devices" net_null0 --nodes a
refused "'loud' is no option; what stands behind" net_null0 -- loud
refused "'lo' stands here twice; name it once" lo lo
refused "'lo' and 'net_af_packet7,iface=lo' are one interface; name one of them" \
	lo net_af_packet7,iface=lo
refused "quench ports: no device \"net_pcap0,rx_pcap=a\"b\": Couldn't open a\"b: " \
	'net_pcap0,rx_pcap=a"b'
refused 'quench ports: no device "net_pcap0,rx_pcap=a\b": ' 'net_pcap0,rx_pcap=a\b'
refused "(buffer of switches, window of flows)" x.yaml --set switches.s.buffer=64MB -- -m 1
"$quench" run --clock real --no-huge --out run x.yaml >log 2>&1 || [ $? -eq 1 ] || fail "status"
grep -q '"subject": "s:a", "what": "PFC frames", "verdict": "ok"' run/manifest.json ||
	fail "the manifest has no self-test"
grep -q '^self-test: [0-9]* notes* (.*);' log || fail "notes are not said"

# All processors work, and the main lcore shares one of them; more than there are is refused.
all=$(nproc)
"$quench" run --clock real --no-huge --workers "$all" --out all x.yaml >log 2>&1 ||
	[ $? -eq 1 ] || fail "--workers $all"
[ "$(grep -c '"what": "isolation"' all/manifest.json)" -gt 0 ] || fail "no line on isolation"
if [ "$all" -lt 127 ]; then
	rc=0
	"$quench" ports --no-huge --workers $((all + 1)) net_null0 >log 2>&1 || rc=$?
	[ $rc -eq 2 ] && grep -q ": --workers $((all + 1)): this process may use $all " log ||
		fail "more workers than processors: status $rc"
fi
