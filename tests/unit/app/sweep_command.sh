#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench sweep` as a user sees it: the table, its files, exit statuses, one line for a run that
# fails, and the same bytes whatever runs at once.
# usage: sweep_command.sh QUENCH CONFIG
set -u
quench=$(realpath "$1")
scenario=$2/first-light.yaml
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "sweep_command: $1"
	cat "$dir/out" "$dir/err"
	fail=1
}

# expect STATUS ARGUMENT...
expect() {
	local status=$1
	shift
	"$quench" sweep "$@" >"$dir/out" 2>"$dir/err"
	local got=$?
	[ $got -eq "$status" ] || complain "$*: exit status $got, $status is right"
}

has() {
	grep -qE -- "$2" "$dir/$1" || complain "$1 lacks '$2'"
}

control=flows.incast.control=none,dcqcn
short=(--duration 2ms)

expect 0 "$scenario" "${short[@]}" --vary $control --vary seed=1,2 --jobs 1 --out one
has out '^run +goodput +util +Jain +q mean '
has out '^first-light control=none seed=1 .* - +- +- .* ok(, [a-z ]*)?$'
has out '^first-light control=dcqcn seed=2 .* ok(, [a-z ]*)?$'
has out 'one/sweep.csv, seeds.csv, sweep.json, junit.xml$'
has out '^mean over seeds +goodput .* seeds$'
has out '^first-light control=none .* 2, all the same$'
has out '^the seed changes no figure in 1 of 2 rows$'
grep -q ',none,2,yes,' one/seeds.csv && grep -q ',dcqcn,2,no,' one/seeds.csv ||
	complain 'seeds.csv does not say where the seed changes nothing'
[ "$(wc -l <one/sweep.csv)" -eq 5 ] || complain "sweep.csv: a head and four runs are wanted"
expect 0 "$scenario" "${short[@]}" --vary $control --vary seed=1,2 --jobs 3 --out three
cmp -s one/sweep.csv three/sweep.csv || complain "sweep.csv differs by --jobs"
cmp -s one/seeds.csv three/seeds.csv || complain "seeds.csv differs by --jobs"
cmp -s one/sweep.json three/sweep.json || complain "sweep.json differs by --jobs"
cmp -s one/junit.xml three/junit.xml || complain "junit.xml differs by --jobs"

# The row of a run says what the run itself says.
"$quench" run "$scenario" "${short[@]}" --seed 2 --out single --quiet ||
	complain "the single run fails"
marks=$(sed -n 's/^ *"marks": \([0-9]*\),.*/\1/p' single/summary.json)
[ -n "$marks" ] && grep -q "dcqcn,2,.*,$marks," one/sweep.csv ||
	complain "marks $marks of the run are not in its row"

# A bad run has one line, the others go on.
expect 2 "$scenario" "${short[@]}" --vary flows.incast.control=nosuch,dcqcn --out bad
[ "$(wc -l <err)" -eq 1 ] || complain "one line is wanted for one bad run"
has err "quench sweep: first-light control=nosuch: .*there is no control 'nosuch'"
has out '^first-light control=nosuch  .* error$'
has out '^first-light control=dcqcn  .* ok(, [a-z ]*)?$'
expect 2 nosuch.yaml "$scenario" "${short[@]}" --out bad --force
has err 'nosuch.yaml: No such file'
has out '^first-light  .* ok(, [a-z ]*)?$'

# A verdict that fails: no headroom, so a lossless class drops.
expect 1 "$scenario" "${short[@]}" --set switches.s1.classes.3.pfc.headroom=0 \
	--set flows.incast.control=none --out lossy
has err 'first-light: a verdict failed: lossless_drops_total is [1-9][0-9]*; at most 0 was exp'
has out ' FAILED(, [a-z ]*)?$'
grep -q '"failed": "lossless_drops_total is ' lossy/sweep.json ||
	complain "sweep.json does not say which verdict failed"

# junit.xml: a testsuite for each run, a testcase for each criterion; a run that cannot be made is
# an error.
printf '%s\n' 'expect:' '  - {figure: drops, equals: 0}' \
	'  - {name: too fast, figure: goodput_gbps, max: 1Gbps}' |
	cat "$scenario" - >judged.yaml
expect 2 judged.yaml "${short[@]}" --vary $control,nosuch --out judged
fast='too fast: goodput_gbps is [0-9.]*; at most 1 was expected'
has err "judged control=none: a verdict failed: $fast$"
python3 - <<'END' || complain "junit.xml is not as it should be"
import xml.etree.ElementTree as tree

suites = tree.parse("judged/junit.xml").getroot()
assert suites.tag == "testsuites" and len(suites) == 3, suites
for suite, name in zip(suites, ("none", "dcqcn", "nosuch")):
    assert suite.get("name") == "judged control=" + name, suite.attrib
    cases = suite.findall("testcase")
    assert int(suite.get("tests")) == len(cases), suite.attrib
    assert len(suite.findall(".//failure")) == int(suite.get("failures")), suite.attrib
    assert len(suite.findall(".//error")) == int(suite.get("errors")), suite.attrib
    if name == "nosuch":
        assert "there is no control 'nosuch'" in cases[0].find("error").get("message")
        continue
    names = [case.get("name") for case in cases]
    assert names == ["conserved", "pool_missing", "lossless_drops_total", "drops",
                     "too fast"], names
    assert [case.get("name") for case in cases if case.find("failure") is not None] == ["too fast"]
END

expect 0 first-light "${short[@]}" --csv --column queue.s1:r.3.std_bytes --files
has out '^scenario,goodput_gbps,.*,queue.s1:r.3.std_bytes,steady,verdict$'
[ -s runs/sweep-first-light/first-light/summary.json ] || complain "--files leaves no folder"
grep -q '"folder": "first-light"' runs/sweep-first-light/sweep.json ||
	complain "sweep.json does not name the folder"
grep -q '"folder"' one/sweep.json && complain "sweep.json names a folder that is not there"
expect 2 first-light "${short[@]}" --hdr --out bare
has err '^quench sweep: --hdr writes into the folders of runs: add --files$'
expect 0 first-light "${short[@]}" --hdr --files --out whole
[ -s whole/first-light/hdr/group.incast.latency_us.hgrm ] || complain "--hdr leaves no distribution"
expect 0 first-light "${short[@]}"
has out 'runs/sweep-first-light.2/sweep.csv, sweep.json, junit.xml$'
[ "$(readlink runs/latest)" = sweep-first-light.2 ] || complain "runs/latest is not the newest"
expect 2 first-light "${short[@]}" --out runs/sweep-first-light
has err 'runs/sweep-first-light: not empty; --force'
expect 0 first-light "${short[@]}" --force --quiet
[ -e runs/sweep-first-light.3 ] && complain "--force does not take the folder that is there"
[ -s out ] && complain "--quiet prints"

# A figure: its numbers and its script are written in any case, pictures by gnuplot, of which this
# one has the name only.
mkdir bin
cat >bin/gnuplot <<'END'
#!/bin/sh
for word in $3; do
	case $word in
	*svg*) echo drawn >sweep.svg ;;
	*png*) echo drawn >sweep.png ;;
	esac
done
END
chmod +x bin/gnuplot
path=$PATH
PATH=$dir/bin:$path
# leaves FOLDER FILE... : these files of the figure, and no other
leaves() {
	local folder=$1
	shift
	[ "$(cd "$folder" && echo sweep.[dgsp]*)" = "sweep.dat sweep.gp $*" ] ||
		complain "$folder has $(ls "$folder")"
}
settled=(--duration 4ms --set warmup=1ms --set flows.incast.control=none)
expect 0 "$scenario" "${settled[@]}" --vary seed=1,2 --plot jain,drops --out plot
leaves plot sweep.svg
has out 'plot/sweep.csv, seeds.csv, sweep.json, junit.xml, sweep.dat, sweep.gp, sweep.svg$'
front='^Pareto front of jain \(more is better\) and drops \(less is better\): 1 of'
has out "$front 1 means over seeds$"
has out '^  first-light  Jain [01]\.[0-9]*  drops 0$'
has out '^first-light seed=1 .* ok$'
grep -q "^set xlabel 'jain (not from 0)'" plot/sweep.gp || complain "--plot does not name its axis"
expect 0 "$scenario" --duration 4ms --set warmup=1ms --vary $control --plot jain,drops --out alone
has out 'alone/sweep.csv, sweep.json, junit.xml, sweep.dat, sweep.gp, sweep.svg$'
has out "$front 2 runs$"
has out '^  first-light control=none  Jain [01]\.[0-9]*  drops 0$'
has out '^  left out: first-light control=dcqcn: unsettled: '
expect 0 "$scenario" "${settled[@]}" --vary seed=1,2 --plot jain,drops --png --out png
leaves png sweep.png
expect 0 "$scenario" "${short[@]}" --vary seed=1,2 --png --svg --out both
leaves both sweep.png sweep.svg
grep -q "^set ylabel 'queue p99 (KB[^)]*)'" both/sweep.gp || complain "there is no axis by default"
cmp -s plot/sweep.dat png/sweep.dat || complain "the numbers differ by the picture"
cmp -s plot/sweep.gp png/sweep.gp || complain "the script differs by the picture"
expect 0 "$scenario" "${short[@]}" --force --out both
[ -e both/sweep.gp -o -e both/sweep.png ] && complain "--force leaves an older figure"
PATH=/nonexistent
expect 2 "$scenario" "${short[@]}" --vary seed=1,2 --plot jain,drops --out missing
PATH=$dir/bin:$path
package='install the package gnuplot-nox, or run `gnuplot sweep.gp` where it is'
has err "^quench sweep: gnuplot is not installed; $package$"
[ "$(wc -l <err)" -eq 1 ] || complain "one line is wanted where gnuplot is missing"
has out 'missing/sweep.csv, seeds.csv, sweep.json, junit.xml, sweep.dat, sweep.gp$'
expect 2 "$scenario" --plot jain --out plot2
columns='two columns of numbers of sweep.csv by their names'
has err "'jain': $columns, X,Y, out of goodput_gbps, .*, drops, warnings$"
expect 0 "$scenario" "${short[@]}" --vary links.0.delay=1us,2us \
	--plot links.0.delay,queue_p99_bytes --out plot3
grep -q "^set xlabel 'links.0.delay (us)'" plot3/sweep.gp || complain "a varied path is no axis"

# A run that has not settled is in no front, and the reason is told.
expect 0 "$scenario" "${short[@]}" --plot jain,drops --out start
has out 'less is better\): 0 of 1 runs$'
has out '^  left out: first-light: unsettled: queue s1:r.3'
grep -q '"steady": "unsettled", "steady_why": "queue' start/sweep.json ||
	complain "sweep.json does not say why the run is unsettled"

# A column that no run can have is refused before the first one; one that some can have is not.
expect 2 "$scenario" --column queue.s1:r.3.p99 --out columns
[ "$(wc -l <err)" -eq 1 ] || complain "one line is wanted for one wrong column"
none="there is no figure 'queue.s1:r.3.p99'"
has err "quench sweep: --column: $none: .*; did you mean 'p99_bytes'\?"
[ -e columns ] && complain "a wrong column leaves a folder"
expect 2 "$scenario" --vary flows.incast.from=h1..2,h1 --column jian --column jain
has err "did you mean 'jain'"
expect 0 "$scenario" "${short[@]}" --vary flows.incast.from=h1,h1..2 --out columns \
	--column 'flow.incast[h2>r.0].goodput_gbps'
grep -qE '^[^,]*,h1,.*,,[a-z ]*,ok$' columns/sweep.csv &&
	grep -qE '^[^,]*,h1..2,.*,[1-9][0-9.]*,[a-z ]*,ok$' columns/sweep.csv ||
	complain "a column that one of two runs can have"

# A varied key takes the place of the one that it excludes.
xoff=switches.s1.classes.3.pfc.xoff
sed 's/xoff: 60KB/dynamic_th: -2/' "$scenario" >dynamic.yaml
expect 0 dynamic.yaml "${short[@]}" --vary $xoff=100KB,200KB --out displaced
has err "^  2 runs: 'dynamic_th: -2' is displaced: $xoff is set, and the two exclude each other$"

expect 0 --help
has out 'examples:'
expect 2
has err 'which scenario'
expect 2 "$scenario" --vary seed
has err "'seed': path=a,b,c"
expect 2 "$scenario" --vary seed=1, --out x
has err 'a value is missing'
expect 2 "$scenario" --vary seed=1,2 --seed 3
has err 'vary seed=... or --seed, not both'
expect 2 "$scenario" --jobs 0
has err "--jobs '0': 1..256"
expect 2 "$scenario" --clock real
has err "there is no option .--clock.; .quench run., .quench rerun., .quench probe., "
exit $fail
