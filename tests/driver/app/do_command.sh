#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench do and quench set against a running instance, from process to process. Actions and values
# come at one instant, wrong ones are refused by a line, and the manifest lists what was done.
# quench rerun repeats it, twice with the same bytes in virtual time, and figures near the run's.
# usage: do_command.sh QUENCH CONFIG
set -eu
quench=$(realpath "$1")
config=$2
dir=$(mktemp -d)
name=do-command-$$
cd "$dir"
"$quench" run "$config/first-light.yaml" --clock real --dilate 40 --no-huge --quiet \
	--instance $name --out run --duration 1000s --set warmup=1ms >log 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null || true; wait $pid 2>/dev/null || true; rm -rf "$dir"' EXIT

fail()
{
	echo "do_command: $*"
	cat log out
	exit 1
}

# A command ends with this status, and its output has this pattern.
prints()
{
	want=$1
	pattern=$2
	verb=$3
	shift 3
	status=0
	"$quench" "$verb" --instance $name "$@" >out 2>&1 || status=$?
	[ $status -eq "$want" ] || fail "$verb $*: exit status $status, $want is right"
	grep -q -- "$pattern" out || fail "$verb $* does not print '$pattern'"
}

says()
{
	want=$1
	pattern=$2
	shift 2
	prints "$want" "$pattern" do "$@"
}

sets()
{
	want=$1
	pattern=$2
	shift 2
	prints "$want" "$pattern" set "$@"
}

tries=0
until "$quench" stats --instance $name >out 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 200 ] || fail 'no instance'
	sleep 0.05
done

says 0 'done at .* ms by h1, h2, h3, h4' 'flow_stop: incast'
says 2 "there is no flow 'incas'" 'flow_stop: incas'
says 2 "unknown key 'flow_halt'" 'flow_halt: incast'
says 2 'an action is a map with one key' '{at: 1ms, flow_start: incast}'
says 2 'there is no action; write one' ''
says 2 'there is no action; write one' '[]'
says 2 'Is a directory' -f .
says 2 'name actions, or a file' -f none.yaml 'flow_start: incast'
says 2 'none.yaml' -f none.yaml
says 2 'cannot change while the scene runs' 'set: {switches.s1.buffer: 3MB}'
says 2 'a map of paths and values' 'set: 3'
says 2 "there is no" 'link_down: s1:h9' 'flow_start: incast' # none of the two is done
says 0 'by h1, h2, h3, h4' 'flow_start: incast'
for action in 'dwrr_weight: {port: "s1:r", queue: 3, weight: 7}' 'link_down: s1:h1' \
	'link_up: s1:h1' 'pfc_storm: {port: "r:s1", for: 200us, count: 2, every: 1ms}'; do
	says 0 'done at' "$action"
done
printf -- '- flow_stop: incast\n- {link_down: "s1:h2"}\n' >two.yaml
says 0 'done at .*h1.*h2.*' -f two.yaml
red=switches.s1.classes.3.wred
pfc=switches.s1.classes.3.pfc
sets 0 'done at .* by s1' $red.min=10KB $red.max=100KB
sets 2 "unknown key 'mx'" $red.mx=100KB
sets 2 'cannot change while the scene runs' switches.s1.buffer=3MB
sets 2 'path=value' x
sets 2 'stands there twice' $red.max=1MB $red.max=2MB
sets 2 'cannot change' $red.max=1MB switches.s1.buffer=3MB # nor does the other
sets 0 'done at' $red.max=300KB
sets 0 'done at' $pfc.xoff=50KB
says 0 'done at .* by s1' "set: {$pfc.xoff: 60KB}"
says 2 "there is no" "set: {$pfc.xoff: 70KB}" 'link_down: s1:h9' # none of the two is done
says 0 'done at .* by s1, h1, s1' "set: {$red.max: 250KB}" 'link_down: s1:h1'
says 0 'done at' 'link_up: s1:h1'
sets 0 '"nodes":' --json $red.max=150KB
says 0 '"nodes":' --json 'link_up: s1:h2' 'flow_start: incast'
[ -S "$(find /run/dpdk /var/run/dpdk "${XDG_RUNTIME_DIR:-/nowhere}"/dpdk /tmp/dpdk \
	-name quench_control 2>/dev/null | head -1)" ] || fail 'no socket'
# The run goes on for 150 ms of its own, which its repetition is held against.
until "$quench" stats --instance $name --json drops 2>/dev/null >out &&
	python3 -c 'import json; exit(json.load(open("out"))["now_us"] < 150e3)'; do
	kill -0 $pid || fail 'it has ended'
	sleep 0.1
done
says 0 'done at' stop
wait $pid || fail "the run's exit status is $?"
says 2 'no instance' 'flow_stop: incast'

python3 - <<'PY' || fail 'the manifest has another list'
import json
done = json.load(open("run/manifest.json"))["done"]
events = [d["event"] for d in done]
names = [next(k for k in e if k != "at") for e in events]
assert names == ["flow_stop", "flow_start", "dwrr_weight", "link_down", "link_up", "pfc_storm",
    "flow_stop", "link_down", "set", "set", "set", "set", "set", "link_down", "link_up", "set",
    "link_up", "flow_start", "stop"], names
at = [int(e["at"][:-2]) for e in events]
assert at == sorted(at) and at[6] == at[7] and at[12] == at[13] and at[16] == at[17], at
assert len(events[8]["set"]) == 2
assert all(d["by"].startswith("pid ") for d in done)
PY

for run in one two; do
	"$quench" rerun run --out $run --quiet >log 2>&1 || fail "rerun: exit status $?"
done
cmp one/summary.json two/summary.json || fail 'two repetitions differ'
cmp one/events.csv two/events.csv || fail 'two repetitions differ'
python3 - <<'PY' || fail 'the repetition is another run'
import json
real, again = (json.load(open(d + "/summary.json")) for d in ("run", "one"))
a, b = (s["total"]["goodput_gbps"] for s in (real, again))
assert abs(a - b) <= 0.1 * b, (a, b)
PY
