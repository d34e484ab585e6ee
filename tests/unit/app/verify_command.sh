#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quench verify: its sheet and files, what it refuses with one line, rows that want more ports than
# there are, a resumed sheet, exit statuses.
# usage: verify_command.sh QUENCH CONFIG
set -eu
quench=$(realpath "$1") config=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail()
{
	echo "verify_command: $1"
	cat log
	exit 1
}

# refused WORDS ARGUMENT...: exit status 2, one line with the words on stderr, and nothing ran
refused()
{
	words=$1
	shift
	status=0
	"$quench" verify "$@" >out 2>log || status=$?
	[ $status -eq 2 ] || fail "verify $*: status $status"
	grep -q -- "$words" log || fail "verify $*: not told: $words"
	[ "$(wc -l <log)" -eq 1 ] || fail "verify $*: more than a line"
	[ ! -e runs ] || fail "verify $*: it ran"
}

refused 'name a suite'
refused "there is no suite 'pfcc'; did you mean 'pfc'?" pfcc
refused "there is no suite ''" ''
refused "has no row with 'nothing' in its name" pfc --only nothing
refused 'one of them, or both\|not both' pfc --ports a,b --bench probe/bench
refused 'two ports at least' pfc --ports a
refused 'e0 stands there twice' pfc --ports e0,e1,e0
refused 'net_tap0,iface=e0 stands there twice' pfc --ports net_tap0,iface=e0,net_tap0,iface=e0
refused 'two ports at least' pfc --ports 'net_tap0,iface=e0,mac=fixed'
refused 'two ports at least' pfc --ports '0000:3b:00.0,representor=[0,1]'
refused 'iface=e0 is an argument and stands before its device' pfc --ports iface=e0,e1
refused 'a device is missing between commas' pfc --ports e0,,e1
refused 'a device is missing between commas' pfc --ports e0,e1,
refused 'pauses the device' pfc --ports net_tap0,iface=e0,net_tap1,iface=e1
refused 'has no section probe' pfc --bench first-light
refused "there is no node 's9'; did you mean 's1'?" pfc --dut s9
refused 'nowhere.json: No such file' buffer --against nowhere.json
refused "rate '5'" pfc --rate 5
refused 'name the ports' pfc --clock real
refused 'pauses the device for up to .*; allow it by --allow-storm ' pfc --ports e0,e1,e2,e3
refused 'name it, as in --out' pfc --resume

"$quench" verify --list >out 2>log || fail 'list'
grep -q '^pfc$' out || fail 'no suite in the list'
grep -q '^  test_global_pause  *The receiver sends ' out || fail 'no row in the list'

status=0
"$quench" verify pfc-counters --out sheet >out 2>log || status=$?
[ $status -eq 0 ] || fail "status $status"
grep -q '^longest pause that a row causes: ' out || fail 'it does not say the longest pause'
grep -q '^  PASS        test_pfc_pause: ' out || fail 'no row that passes'
for file in verify.json junit.xml verify.html pfc-counters/test_pfc_pause/summary.json; do
	[ -s sheet/$file ] || fail "no $file"
done

# At slower links the timers and steps of DCQCN follow.
"$quench" verify rocev2 --only dcqcn --rate 100Mbps --out steps >out 2>log || fail 'slower steps'
grep -q '"ai_rate": "400Kbps"' steps/rocev2/dcqcn-convergence/manifest.json ||
	fail 'no slower steps'
"$quench" verify rocev2 --only dcqcn --rate 1Gbps --set controls.dcqcn.ai_rate=5Mbps --out set \
	>out 2>log || fail 'slow links with a setting'
grep -q '"ai_rate": "5Mbps"' set/rocev2/dcqcn-convergence/manifest.json || fail 'a setting is lost'

# A wrong switch fails, and --resume completes a sheet that has a part of its rows.
cat >wrong.yaml <<END
# A storm is not obeyed.
$(sed 's/^#.*//; s/hosts:/&/; /^events/,/^$/d' "$config/verify/pfc/test_pfc_pause_lossless.yaml")
END
mkdir mine
mv wrong.yaml mine
status=0
"$quench" verify "$PWD/mine" --out wrong >out 2>log || status=$?
[ $status -eq 1 ] || fail "a storm that is missing: status $status"
grep -q '^  FAIL        wrong: A storm is not obeyed$' out || fail 'no FAIL'

rm -r sheet/pfc-counters/test_fc_pause
touch -d '2000-01-01' sheet/pfc-counters/test_pfc_pause/summary.json
"$quench" verify pfc-counters --out sheet --resume >out 2>log || fail 'resume'
[ "$(grep -c ' of 1: ' log)" -eq 1 ] || fail 'not one row is left to do'
[ "$(find sheet/pfc-counters/test_pfc_pause/summary.json -not -newermt 2001-01-01)" ] ||
	fail 'a row was run again'
refused_status=0
"$quench" verify pfc-counters --out sheet --resume --seed 5 >out 2>log || refused_status=$?
[ $refused_status -eq 2 ] || fail 'resumed with other settings'
grep -q 'was begun with other settings' log || fail 'not told that settings differ'

# Two ports: rows that want three are not judged.
status=0
"$quench" verify pfc --only m2o --clock virtual --ports e0,e1 --out few >out 2>log || status=$?
[ $status -eq 0 ] || fail "few ports: status $status"
grep -q 'it wants 3 ports, and there are 2' out || fail 'the number of ports is not told'
status=0
"$quench" verify pfc --only m2o --clock virtual --ports e0,e1 --out few --force --strict \
	>out 2>log || status=$?
[ $status -eq 3 ] || fail "few ports, strict: status $status"

# Two ports at one egress lose nothing up to half of the line rate.
mkdir search
cp "$config/verify/rfc2544/test_packet_drop_threshold.yaml" search/load.yaml
cat >search/found.search <<'END'
# The highest rate.
search: load.yaml
path: flows.load.open_loop.rate
from: 10
to: 100
by: 10
unit: "%"
cases: [{flows.load.open_loop.size: 1024}, {flows.load.open_loop.size: 64}]
expect: [{figure: rate_percent, min: 60}]
END
status=0
"$quench" verify "$PWD/search" --only found --out searched >out 2>log || status=$?
[ $status -eq 1 ] || fail "a search that ends too low: status $status"
grep -q 'rate_percent, size=64 >= 60: saw 50 *FAIL' out || fail 'the search found another rate'
[ -s searched/search/found/search.json ] || fail 'no search.json'
"$quench" verify "$PWD/search" --only found --out searched --resume >out 2>log || status=$?
[ $status -eq 1 ] && grep -q ' of 1: ' log && fail 'a finished search was run again'
# wrong CHANGE WORDS: a search that is changed so is refused before anything runs
wrong()
{
	sed "$1" search/found.search >search/wrong.search
	status=0
	"$quench" verify "$PWD/search" --only wrong --out never >out 2>log || status=$?
	[ $status -eq 2 ] && [ "$(wc -l <log)" -eq 1 ] || fail "$1: status $status"
	grep -q "$2" log || fail "$1: not told: $2"
	[ ! -e never ] || fail "$1: it ran"
}

wrong 's/to: 100/to: 5/' 'wrong.search: a search goes from a value to a greater one'
wrong 's/load.yaml/lode.yaml/' 'lode.yaml: No such file'
wrong 's/open_loop.rate/open_loop.rats/' \
	"wrong.search: .*unknown key 'rats' in open_loop; did you mean 'rate'"
wrong 's/size: 64/size: 6/' 'wrong.search: .*size'
wrong 's/to: 100/to: 190/' 'wrong.search: .*rate'
rm search/wrong.search

# The list says how long the scenarios of a suite take, and that is how long they take.
"$quench" verify pfc-counters --rate 10Gbps --out slow >out 2>log || fail 'at 10 Gb/s'
took=$(sed -n 's/.*"scene_s": \([0-9.]*\).*/\1/p' slow/verify.json |
	awk '{s += $1} END {print 1000 * s}')
"$quench" verify --list | sed -n '/^pfc-counters$/,/^[a-oq-z]/p' >out
grep -q "^  scenarios: 2 ports at most, .*ms; ${took}ms at 10 Gb/s, 11ms at 100 Gb/s" out ||
	fail "the list says another time than $took ms"

# The page has the rows of each suite, and the time of those without steps and searches.
page=$config/../docs/verify.md
"$quench" verify --list >list
for suite in "$config"/verify/*; do
	name=${suite##*/} rows=0
	for row in "$suite"/*; do
		rows=$((rows + 1))
	done
	line=$(grep "^| \`$name\` | $rows | " "$page") || fail "verify.md: $name has $rows rows"
	[ -z "$(find "$suite" -name '*.step' -o -name '*.search')" ] || continue
	sed -n "/^$name$/,/scenarios:/p" list >out
	for rate in 10 100 400; do
		took=$(sed -n "s/.* \([0-9]*\)ms at $rate Gb.*/\1/p" out)
		echo "$line" | grep -q "| $took ms |" ||
			fail "verify.md: $name takes $took ms at $rate Gb/s"
	done
done
