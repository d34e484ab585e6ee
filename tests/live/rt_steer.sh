#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A switch, and senders with their receiver, as two processes over veth, are steered while RC flows
# run: each marking curve has the marks of its own time, a lower XOFF makes pauses, flows stop,
# start and quiesce, and no frame is lost. Another user can neither change nor read anything.
# Needs root, ip, ethtool, python3 and setpriv; else it says so and is skipped (77).
# usage: rt_steer.sh QUENCH
set -euo pipefail
quench=$(readlink -f "${1:-build/quench}")
what="a run that is steered"
# shellcheck source=tests/live/net.sh
. "$(dirname "$0")/net.sh"
scenario=$PWD/tests/live/rt_steer.yaml
net_begin
command -v setpriv >/dev/null || skip "no setpriv (Debian: util-linux)"
switch=steer-switch-$id hosts=steer-hosts-$id
red=switches.s1.classes.3.wred pfc=switches.s1.classes.3.pfc
ip netns add $a
join $a h1 s1h1
join $a h2 s1h2
join $a r1 s1r

begin() { # NAMESPACE NODES INSTANCE
	ip netns exec "$1" "$quench" run "$scenario" --clock real --nodes "$2" --workers 1 \
		--dilate 4 --quiet --instance "$3" --out "$out/$3" >>"$out/log" 2>&1 &
	pid=$!
}

# One moment's figures of an instance pass a condition in Python, in which `f` has them by path.
holds() { # INSTANCE CONDITION PATH...
	"$quench" stats --instance "$1" --json "${@:3}" 2>/dev/null >"$out/figures" || return 1
	python3 -c 'import json, sys
f = json.loads(sys.stdin.readline())["metrics"]
sys.exit(not eval(f"({sys.argv[1]})"))' "$2" <"$out/figures"
}

until_holds() { # INSTANCE CONDITION PATH...
	until holds "$@"; do
		kill -0 "$switch_pid" 2>/dev/null && kill -0 "$hosts_pid" 2>/dev/null ||
			fail "a run ended before: $2"
		sleep 0.2
	done
}

is() { # INSTANCE CONDITION PATH...
	holds "$@" || fail "$2 is not so: $(cat "$out/figures")"
}

steer() { # VERB INSTANCE WORD...
	"$quench" "$1" --instance "${@:2}" >"$out/answer" 2>&1 ||
		fail "$*: status $?: $(cat "$out/answer")"
}

m=marking.s1:r.3
# The marks since the curve is this one follow it.
judge_curve() { # KMIN KMAX
	until_holds "$switch" "f['$m.kmin_bytes'] == $1 and f['$m.ecn_marked_frames'] > 300 and
		f['$m.chi_square_bins'] > 2" "$m.*"
	is "$switch" "f['$m.kmax_bytes'] == $2 and f['$m.chi_square_p'] > 1e-4" "$m.*"
	is "$switch" "not any(f.values())" "$m.marked_to_kmin_frames" \
		"$m.unmarked_above_kmax_frames"
}

begin $s s1 "$switch"
switch_pid=$pid
begin $a h1..2,r "$hosts"
hosts_pid=$pid
until_holds "$hosts" "len(f) == 2" 'flow.*.message_complete_rx'
judge_curve 50000 900000

# Another user: nothing is found, and who finds the socket is not heard.
install -m 755 "$quench" "$out/quench"
chmod 755 "$out"
folder=/var/run/dpdk/quench-$switch_pid
[ "$(stat -c %a "$folder")" = 700 ] || fail "$folder can be read by others"
for home in '' "XDG_RUNTIME_DIR=/run/user/0 HOME=/root"; do
	for words in "do stop" "set $red.max=1MB" "capture s1:r --count 1" stats; do
		status=0
		# shellcheck disable=SC2086 # lists of words
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			env -u XDG_RUNTIME_DIR -u HOME $home "$out/quench" ${words%% *} \
			--instance "$switch" $(cut -s -d ' ' -f 2- <<<"$words") \
			>"$out/answer" 2>&1 </dev/null || status=$?
		[ $status = 2 ] && [ "$(wc -l <"$out/answer")" = 1 ] &&
			grep -q 'no instance' "$out/answer" ||
			fail "another user's $words: status $status: $(cat "$out/answer")"
	done
done
knocks() { # SOCKET: prints what becomes of a connection
	(cd "$folder" && python3 - "$1") <<'END'
import json
import os
import socket
import struct
import sys

kind = socket.SOCK_STREAM if sys.argv[1] == "quench_control" else socket.SOCK_SEQPACKET
os.setgroups([])
os.setresgid(65534, 65534, 65534)
os.setresuid(65534, 65534, 65534)
s = socket.socket(socket.AF_UNIX, kind)
s.settimeout(60)
body = json.dumps({"verb": "do", "text": "stop"}).encode()
try:
    s.connect(sys.argv[1])
    s.sendall(struct.pack("=I", len(body)) + body)
    print("heard" if s.recv(4) else "closed")
except PermissionError:
    print("not let in")
except ConnectionError:
    print("closed")
END
}
chmod 755 "$folder"
for socket in quench_control dpdk_telemetry.v2; do
	[ "$(knocks $socket)" = "not let in" ] || fail "another user is let in at $socket"
done
chmod 666 "$folder/quench_control"
[ "$(knocks quench_control)" = closed ] || fail "another user is heard"
chmod 600 "$folder/quench_control"
chmod 700 "$folder" "$out"
echo "ok: another user is not heard"

steer set "$switch" $red.min=100KB $red.max=600KB
judge_curve 100000 600000
! holds "$switch" True 'pfc_tx.*.xoff_frames' || fail "pauses: $(cat "$out/figures")"
steer set "$switch" $pfc.xoff=40KB
until_holds "$switch" "sum(f.values()) > 10" 'pfc_tx.*.xoff_frames'
is "$switch" "set(f.values()) == {40000}" 'pg.s1:h*.3.xoff_bytes'
steer set "$switch" $pfc.xoff=800KB
echo "ok: marks follow their curve, and pauses XOFF"

of() { # FLOW FIGURE: its value now
	"$quench" stats --instance "$hosts" --json "flow.$1\[*.$2" | grep -o '[0-9]*}*$' | tr -d '}'
}
more_of() { # FLOW: it gets messages through
	local paths="flow.$1\[*.message_complete_rx" had
	had=$(of "$1" message_complete_rx)
	until_holds "$hosts" "sum(f.values()) > $had + 3" "$paths"
}
steer 'do' "$hosts" 'flow_stop: second'
# The messages that were posted still go out; then `second` stands while `first` goes on.
tries=0
until [ "${stands:-}" = "$(of second message_tx)" ]; do
	tries=$((tries + 1))
	[ $tries -le 20 ] || fail "a flow that was stopped goes on"
	stands=$(of second message_tx)
	more_of first
done
steer 'do' "$hosts" 'flow_start: second'
more_of second
steer 'do' "$hosts" 'quiesce: {then: go_on, within: 60s}' 'mark: still'
more_of first
more_of second
echo "ok: flows stop, start and go on"

steer 'do' "$hosts" 'quiesce: {then: stop, within: 60s}'
wait "$hosts_pid" || fail "the hosts end with $?"
steer 'do' "$switch" stop
wait "$switch_pid" || fail "the switch ends with $?"
"$quench" merge "$out/$switch" "$out/$hosts" --out "$out/whole" >"$out/merged" 2>&1 ||
	fail "merge ends with $?: $(cat "$out/merged")"
[ "$(grep -c '^link .* PASS, ' "$out/merged")" = 6 ] ||
	fail "a link does not add up: $(cat "$out/merged")"
python3 - "$out" "$switch" "$hosts" <<'END' || fail "the figures are not right"
import json
import sys

out, switch, hosts = sys.argv[1:]


def read(name, file):
    with open(f"{out}/{name}/{file}.json") as f:
        return json.load(f)


def actions(name):
    done = read(name, "manifest")["done"]
    assert all(d["by"].endswith("user 0") for d in done), done
    return [{k: v for k, v in d["event"].items() if k != "at"} for d in done]


red, pfc = "switches.s1.classes.3.wred", "switches.s1.classes.3.pfc"
assert actions(switch) == [{"set": {red + ".min": "100KB", red + ".max": "600KB"}},
    {"set": {pfc + ".xoff": "40KB"}}, {"set": {pfc + ".xoff": "800KB"}}, {"stop": None}]
assert [next(iter(a)) for a in actions(hosts)] == [
    "flow_stop", "flow_start", "quiesce", "mark", "quiesce"]
for name in switch, hosts:
    s = read(name, "summary")
    v = s["verdicts"]
    assert v["conserved"] and v["pool_missing"] == 0 and not s["interrupted"], v
    assert v["lossless_lost"] == 0 and s["total"]["lossless_drops_total"] == 0, v
    for f in s["flows"]:
        assert f["frame_delta"] == 0 and f["message_tx"] == f["message_complete_rx"], f
curve = next(m for m in read(switch, "summary")["markings"] if m["port"] == "s1:r")
assert curve["kmin_bytes"] == 100000 and curve["chi_square_p"] > 1e-4, curve
END
echo "ok: nothing is lost, and the manifests have what was done"
