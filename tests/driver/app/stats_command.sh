#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench stats against a running instance, from process to process: tables, JSON, patterns, what it
# says of paths that fit nothing, and how it ends.
# usage: stats_command.sh QUENCH HERE
set -eu
quench=$1
here=$2
dir=$(mktemp -d)
name=stats-command-$$
"$quench" run "$here/iqcn.yaml" --clock real --dilate 20 --no-huge --quiet --instance $name \
	--out "$dir/run" --set duration=1000s \
	--set 'flows.noise={from: x, to: h2, class: 0, open_loop: {size: 512, rate: 1%}}' \
	>"$dir/log" 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null || true; wait $pid 2>/dev/null || true; rm -rf "$dir"' EXIT

fail()
{
	echo "stats_command: $*"
	cat "$dir/log"
	exit 1
}

# Exactly COUNT lines of a command's output match this pattern, and it ends with this status.
prints()
{
	want=$1
	count=$2
	pattern=$3
	shift 3
	status=0
	"$quench" stats --instance $name "$@" >"$dir/out" 2>&1 || status=$?
	[ "$(grep -c -- "$pattern" "$dir/out")" = "$count" ] || {
		cat "$dir/out"
		fail "stats $* does not print '$pattern' $count times"
	}
	[ $status -eq "$want" ] || fail "stats $*: exit status $status, $want is right"
}

# Flows, queues and groups come into use within the first microseconds.
tries=0
until "$quench" stats 'pg.s1:h3.3.held_bytes' --instance $name >"$dir/out" 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 2000 ] && kill -0 $pid || { cat "$dir/out"; fail "no figures come"; }
done

# The selection, and its tables.
prints 0 1 "^instance $name (pid $pid), scenario rt-iqcn, at [0-9.]* of 1000000.000 ms$"
prints 0 1 '^total  goodput_gbps  drops  *marks  *cnp_rx  pauses$'
prints 0 1 '^link  *tx_gbps  *utilization_percent$'
prints 0 1 '^s1:r  *[0-9]*\.[0-9]*  *[0-9]*\.[0-9]*$'
prints 0 3 '^incast\[h[123]>r.0\]  *[0-9.]*  *[0-9.]*  *[0-9.]*  *0\.[0-9]*$'
prints 0 1 '^s1:r.3  *[0-9]*  *[0-9]*  *[0-9]*  *0$'
prints 0 1 '^r:s1.6  *0  *[0-9]*  *-  *-$' # a NIC's queue has no marker
prints 0 3 '^s1:h[123].3  *[0-9]*  *[0-9]*  *[0-9]*$'
prints 0 1 '^buffer  size_bytes  used_bytes  max_bytes_total$'
prints 0 1 '^instrument  loop_gap_p50_us '

# Paths, patterns, kinds, figures of the totals; an exact path may have brackets.
prints 0 1 '^total  drops$' drops
prints 0 1 '^flow  *alpha$' 'flow.incast[h1>r.0].alpha'
prints 0 1 '^incast' 'flow.incast[h1>r.0].alpha'
prints 0 2 '^[a-z]*  *\(length\|held\)_bytes$' 'queue.*.length_bytes' 'pg.*.held_bytes'
prints 0 1 '^flow  *avg_latency, ns$' 'flow.*.avg_latency'
prints 0 2 '^s[12]  *[0-9]*  *[0-9]*  *[0-9]*$' buffer

# An older name of a figure is taken, and told.
prints 0 1 '^total  cnp_rx$' cnps
prints 0 1 "^warning: the figure 'cnps' is called 'cnp_rx' now$" cnps
prints 0 1 '^iqcn  *cnp_tx$' 'iqcn.*.tx_cnp'

# JSON: a line a look.
prints 0 1 "^{\"instance\": \"$name\", \"scenario\": \"rt-iqcn\", \"pid\": $pid, \"now_us\": \
[0-9.]*, \"metrics\": {\"total.drops\": 0}}$" --json drops
"$quench" stats --instance $name --json | python3 -c '
import json, sys
m = json.load(sys.stdin)["metrics"]
assert m["total.marks"] > 0 and m["queue.s1:r.3.max_bytes"] > 0, m
assert all(isinstance(v, (int, float)) for v in m.values()), m' || fail "JSON"

# Words that fit nothing.
prints 2 1 "no kind is 'quue'; did you mean 'queue'?$" quue.s1:r.3.length_bytes
prints 2 1 "queue has no 'lenght_bytes'; did you mean 'length_bytes'?$" 'queue.*.lenght_bytes'
prints 2 1 "total has no 'dorps'; did you mean 'drops'?$" dorps
prints 2 1 "no queue of instance $name is 's1:q.3'; did you mean 's1:r.3'?$" \
	queue.s1:q.3.length_bytes
prints 2 1 "kmin_bytes of queue 's1:h1.6' is not known now$" queue.s1:h1.6.kmin_bytes
prints 2 1 "no figure of instance $name fits 'pool' now$" pool
prints 2 1 "did you mean 'queue'?$" drops quue.x.y

# Prometheus' format, and the options that it excludes.
prints 0 1 '^# TYPE quench_queue_length_bytes gauge$' --prometheus
prints 0 1 "^quench_total_marks_total{instance=\"$name\",scenario=\"rt-iqcn\"} [0-9]*$" --prometheus
prints 2 1 '--prometheus goes without --watch' --prometheus --watch 1s
prints 2 1 '--prometheus goes without --json' --prometheus --json

"$quench" stats --instance no-such-instance 2>&1 |
	grep -q "no instance 'no-such-instance' is running; there is" ||
	fail "an instance that is not there"

# Tables stand in the order of the words, and without words as one asks: who sends comes first.
"$quench" stats --instance $name queue drops buffer | sed -n 's/^\(queue\|total\|buffer\) .*/\1/p' |
	xargs | grep -qx 'queue total buffer' || fail "tables are not in the order of the words"
"$quench" stats --instance $name | sed -n 's/^\([a-z]*\)   *[a-z].*/\1/p' | xargs |
	grep -q '^total flow source link queue ' || fail "flows and sources are not before queues"
prints 0 1 '^source  *tx_frames  *tx_gbps  *rx_frames  *rx_gbps$'
prints 0 1 '^noise\[x>h2\]  *[0-9]*  *[0-9.]*  *[0-9]*  *[0-9.]*$'

# A terminal shows each look in the place of the one before; at the end it has its screen again,
# with the last look. One that cannot move its cursor has them one behind the other, as a pipe.
python3 - "$quench" $name <<'END' || fail "--watch on a terminal"
import fcntl, os, pty, signal, struct, subprocess, sys, termios

quench, name = sys.argv[1:]
TAKE, GIVE, HOME = "\033[?1049h\033[?25l", "\033[?25h\033[?1049l", "\033[H"


def watch(kind, looks):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 8, 80, 0, 0))
    p = subprocess.Popen([quench, "stats", "--instance", name, "--watch", "10ms"], stdout=theirs,
                         stderr=theirs, env={**os.environ, "TERM": kind})
    os.close(theirs)
    text, told = "", False
    while True:
        try:
            more = os.read(ours, 65536).decode()
        except OSError:
            break
        text += more
        if text.count(", scenario ") >= looks and not told:
            told = True
            p.send_signal(signal.SIGINT)
    assert p.wait() == 130, p.returncode
    return text


text = watch("xterm", 3)
assert text.startswith(TAKE + HOME), repr(text[:80])
screen, after = text[len(TAKE):].split(GIVE)
looks = screen.split(HOME)[1:]
assert len(looks) >= 3
for look in looks:
    assert look.count("\n") == 7 and "more lines" in look, repr(look)
    assert look.endswith("\033[K\033[J"), repr(look[-40:])
assert "\033[H" not in after and after.count(", scenario ") == 1 and "loop_gap_p50" in after
text = watch("dumb", 3)
assert "\033" not in text and text.count("loop_gap_p50") >= 3
END

# Looks again until the run ends; counters by second from the second look on.
"$quench" stats --instance $name --watch 10ms marks length >"$dir/watch" 2>&1 &&
	fail "a wrong path is watched"
"$quench" stats --instance $name --watch 10ms marks 'queue.*.length_bytes' >"$dir/watch" 2>&1 &
watch=$!
tries=0
until grep -q '^total  *marks  *marks/s$' "$dir/watch"; do
	tries=$((tries + 1))
	[ $tries -lt 20000 ] && kill -0 $watch || { cat "$dir/watch"; fail "no second look"; }
done
kill -INT $pid
status=0
wait $watch || status=$?
[ $status -eq 0 ] || { cat "$dir/watch"; fail "watch: exit status $status, 0 is right"; }
grep -q "^instance $name (pid $pid) has ended$" "$dir/watch" || fail "watch: no last line"
grep -q "^[0-9:]* instance $name (pid $pid), scenario" "$dir/watch" || fail "watch: no time"
status=0
wait $pid || status=$?
[ $status -eq 130 ] || fail "SIGINT: exit status $status, 130 is right"
