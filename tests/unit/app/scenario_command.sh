#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Scenarios that come with quench, from a folder that has none: the names of `run --list` can be
# typed, and are found.
# usage: scenario_command.sh QUENCH [EXAMPLES]    EXAMPLES: the folder of the plug-ins that
# scenarios name; without it, the folder where these look for them
set -eu
quench=$(realpath "$1")
examples=${2:+$(realpath "$2")}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
unset QUENCH_DATA

fail()
{
	echo "scenario_command: $*"
	[ ! -e err ] || cat err
	exit 1
}

"$quench" run --list >list 2>err || fail "run --list"
! grep -q ' $' list || fail "lines of the list end in blanks"
names=$(sed -n 's/^\([^ ][^ ]*\).*/\1/p' list)
for name in first-light compare/3-dcqcn-paper plugin/rate reference; do
	echo "$names" | grep -qx "$name" || fail "$name is not listed"
done
[ "$(echo "$names" | wc -l)" -ge 40 ] || fail "too few are listed"
! grep '^[^ ]*  *$' list || fail "a scenario says nothing of itself"
for name in $names; do
	set --
	case ${examples:+$name} in
	plugin/*) set -- --set "controls.mine.plugin=$examples/${name#plugin/}.so" ;;
	esac
	"$quench" check "$name" "$@" >out 2>err || fail "check $name"
done
"$quench" check first-light.yaml >out 2>err || fail "check first-light.yaml"
"$quench" run first-light --duration 2ms --set warmup=0us --quiet 2>err || fail "run first-light"
"$quench" run compare/3-dcqcn-paper --duration 2ms --set warmup=0us --quiet --out paper 2>err ||
	fail "run compare/3-dcqcn-paper"
"$quench" run replay-ce --duration 20ms --quiet 2>err || fail "run replay-ce: its capture"
[ -s runs/first-light-virtual-1/summary.json ] && [ -s paper/summary.json ] ||
	fail "a run has no summary"
"$quench" sweep compare/3-dcqcn-paper first-light --duration 1ms --set warmup=0us \
	--out sweep >out 2>err ||
	fail "sweep compare/3-dcqcn-paper"
[ "$(wc -l <sweep/sweep.csv)" = 3 ] || fail "sweep.csv has not two rows"

# A file goes before a name, a folder does not.
mkdir victim
"$quench" check victim >out 2>err || fail "a folder hides a scenario"
printf 'name: mine\nduration: 1ms\nhosts: {a: {}, b: {}}\nlinks: [{between: [a, b]}]\n' >first-light
"$quench" check first-light --full | grep -q '^name: mine ' || fail "a file is not taken as it is"
"$quench" check ./victim >out 2>err && fail "a path is taken for a name"

# Another folder.
mkdir -p data/config/group
printf '%s\n' '# Its one sentence. And more' 'name: own' 'duration: 1ms' 'hosts: {a: {}, b: {}}' \
	'links: [{between: [a, b]}]' >data/config/group/own.yaml
[ "$(QUENCH_DATA=data "$quench" run --list)" = \
	"group/own                         Its one sentence" ] ||
	fail "QUENCH_DATA does not name the folder"
QUENCH_DATA=$dir/data "$quench" check group/own --full | grep -q '^name: own ' ||
	fail "QUENCH_DATA has no scenario"
QUENCH_DATA=nowhere "$quench" run --list >out 2>err && fail "a list of nothing ends well"
missing='the scenarios that come with quench are not in nowhere/config'
grep -q "^quench run: $missing; QUENCH_DATA names" err ||
	fail "a folder that is not there is not named"
