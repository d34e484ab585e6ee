#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench gen` sends to a kernel that it finds by ARP, from the interface's own address: all frames
# come, RoCEv2 with PSNs that count up and right ICRCs. An address that nobody has gets one line.
# `quench bump` forwards between two kernels.
# Needs root, ip, ethtool and python3; else it says so and is skipped (77).
# usage: rt_gen.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="a generator in one line"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
net_begin

cable "$a" sa 10.1.1.1
cable "$b" sb 10.1.1.2
ip -n "$s" addr add 10.1.1.9/24 dev sa

gen() { # STATUS ARGUMENT...
	local want=$1 code=0
	shift
	ip netns exec "$s" "$quench" gen --device sa --force --out "$out/run" "$@" \
		>"$out/log" 2>&1 || code=$?
	[ "$code" = "$want" ] || fail "gen $*: exit status $code"
}

came() { # frames that namespace $a's e0 has received
	ip netns exec "$a" cat /sys/class/net/e0/statistics/rx_packets
}

# The run's frames have come, but for its ARP request and the kernel's own.
all_came() { # BEFORE
	python3 - "$out/run/summary.json" "$(($(came) - $1))" <<'END' || fail "frames are missing"
import json
import sys

run = json.load(open(sys.argv[1]))
sent = sum(s["tx_frames"] for s in run["sources"])
print(f"{sent} frames sent, {sys.argv[2]} came")
sys.exit(not (sent > 100 and sent <= int(sys.argv[2]) <= sent + 20))
END
}

# The run would last for an hour.
gen 2 --to 10.1.1.77 --rate 1kpps --for 3600s
grep -q '^quench gen: --to 10.1.1.77: nobody answers ARP for it, so nothing was sent' "$out/log" ||
	fail "no line about an address that nobody has"
gen 2 --to 10.1.1.1 --control none --for 3600s
grep -q '^quench gen: --to 10.1.1.1: no queue pair could connect to port 18515' "$out/log" ||
	fail "no line about a port that nobody listens at"
! grep -q 'conserved' "$out/log" || fail "a table of a run that has sent nothing"
echo "ok: a receiver that nobody finds gets a line and ends the run"

for kind in --udp --roce; do
	before=$(came)
	ip netns exec "$a" python3 tests/live/sniff.py e0 "$out/first.pcap" 50 &
	reader=$!
	gen 0 --to 10.1.1.1 $kind --qps 4 --rate 4kpps --size imix --for 2s
	wait "$reader"
	all_came "$before"
done
"$quench" decode "$out/first.pcap" --json >"$out/frames"
python3 - "$out/frames" <<'END' || fail "the RoCEv2 frames are not right"
import json
import sys

frames = [json.loads(line) for line in open(sys.argv[1])]
psn, good = {}, 0
for f in frames:
    if f.get("kind") != "data":
        continue
    good += 1
    assert f["icrc"] == "ok", f
    qpn = f["qpn"]
    assert psn.setdefault(qpn, f["psn"]) == f["psn"], f
    psn[qpn] += 1
print(good, "RoCEv2 frames of", len(psn), "queue pairs, in order, ICRCs right")
sys.exit(good < 20 or len(psn) != 4)
END
echo "ok: a kernel gets each frame, and RoCEv2 has its numbers and ICRC"

# The bump learns both kernels and forwards their pings.
ip -n "$s" addr flush dev sa
ip netns exec "$s" "$quench" bump sa sb --for 60s --headroom auto --out "$out/bump" \
	>"$out/log" 2>&1 &
pid=$!
await ip netns exec "$a" python3 tests/live/ping.py 10.1.1.2 1 56 5 2>/dev/null ||
	fail "no ping comes through the bump"
ip netns exec "$a" python3 tests/live/ping.py 10.1.1.2 3 1472 || fail "pings through the bump"
kill -INT "$pid"
code=0
wait "$pid" || code=$?
pid=''
[ "$code" = 130 ] || fail "the bump ended with $code"
grep -q '"conserved": true' "$out/bump/summary.json" || fail "not conserved"
echo "ok: two kernels reach each other through a bump"
