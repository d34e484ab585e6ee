#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Firmware that crashes, on either clock: the line on stderr, the results so far, the exit status.
# Firmware that does not come back, on the real one: the same, and the peer is let go.
# usage: crash_command.sh QUENCH FIRMWARE
set -eu
quench=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail()
{
	echo "crash_command: $*"
	cat "$dir/err"
	exit 1
}

cat >"$dir/crash.yaml" <<END
name: crash
duration: 2ms
controls: {ip: {profile: rdma_ip, scheme: 2}}
switches:
  s1:
    buffer: 4MB
    classes: {3: {lossless: true, wred: {min: 5KB, max: 50KB, probability: 10%}}}
hosts: {h1: {firmware: {file: '$2', args: fw_expire null 700}}, h2: {}, r: {}}
links: [{between: [[h1..2, r], s1], rate: 25Gbps, delay: 1us}]
flows: {incast: {from: h1..2, to: r, control: ip}}
END

for clock in virtual real; do
	status=0
	"$quench" run "$dir/crash.yaml" --clock $clock --out "$dir/$clock" --quiet -- \
		--no-huge >"$dir/out" 2>"$dir/err" ||
		status=$?
	[ $status = 1 ] || fail "clock $clock: exit status $status, not 1"
	grep -q '^firmware of host h1 crashed in fw_expire() at [0-9.]* us (SIGSEGV)$' "$dir/err" ||
		fail "clock $clock: the crash is not named"
	grep -q '"crash": "firmware of host h1 crashed in fw_expire()' "$dir/$clock/summary.json" ||
		fail "clock $clock: the summary does not name it"
	[ "$(wc -l <"$dir/$clock/events.csv")" -gt 10 ] ||
		fail "clock $clock: the events before it are missing"
done

cat >"$dir/hang.yaml" <<END
name: hang
duration: 100s
controls: {ip: {profile: rdma_ip, scheme: 2}}
switches: {s1: {buffer: 4MB, classes: {3: {lossless: true}}}}
hosts: {h: {firmware: {file: '$2', args: fw_expire hang 5000}}, a: {}, r: {}}
links: [{between: [[h, a, r], s1], rate: 25Gbps, delay: 1us}]
ports: {s1:a: {device: "net_pcap0,tx_pcap=$dir/out.pcap"}}
flows: {f: {from: h, to: r, control: ip}}
events: [{at: 1ms, pfc_storm: {port: s1:a, class: 3, for: 50s}}]
END
status=0
"$quench" run "$dir/hang.yaml" --clock real --out "$dir/hang" --quiet --no-huge \
	--allow-storm 50s >"$dir/out" 2>"$dir/err" || status=$?
[ $status = 1 ] || fail "hang: exit status $status, not 1"
grep -q '^the loop of lcore [0-9]* hangs at h: ' "$dir/err" || fail "the loop is not named"
grep -q '"crash": "the loop of lcore [0-9]* hangs at h: ' "$dir/hang/summary.json" ||
	fail "the summary does not name the loop"
"$quench" decode "$dir/out.pcap" | tail -n 1 >"$dir/last"
grep -q "PFC XON " "$dir/last" || fail "hang: the last frame lets nobody go: $(cat "$dir/last")"
