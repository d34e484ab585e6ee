#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The answers to the words of a command line, whatever the command: help, the nearest name, the
# missing operand.
# usage: args_command.sh QUENCH
set -u
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "args_command: $1"
	cat out err
	fail=1
}

# says STATUS PATTERN ARGUMENT...: on stdout where the status is 0, else on stderr in one line
says() {
	local status=$1 pattern=$2 where=err
	shift 2
	"$quench" "$@" >out 2>err </dev/null
	local got=$?
	[ $got -eq "$status" ] || complain "$*: exit status $got, $status is right"
	[ "$status" -eq 0 ] && where=out
	grep -qE -- "$pattern" $where || complain "$*: lacks '$pattern'"
	[ "$status" -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || complain "$*: one line is wanted"
}

says 0 '^quench 0' --version
says 0 '^quench 0' -V
says 0 '^usage: quench COMMAND' --help
says 0 '^usage: quench COMMAND' -h
says 0 '^usage: quench COMMAND' help
"$quench" >out 2>err && complain "nothing to do ends well"
grep -q '^usage: quench COMMAND' err || complain "nothing to do has no help"

commands=$("$quench" --help | awk '/^options:/ {exit} /^  [a-z]+ / {print $1}')
[ "$(echo "$commands" | wc -l)" -ge 9 ] || complain "the help lists too few commands"
for command in $commands; do
	says 0 "^usage: quench $command" "$command" --help
	cp out long
	says 0 '' "$command" -h
	cmp -s long out || complain "$command -h is not $command --help"
	says 0 '' help "$command"
	cmp -s long out || complain "help $command is not $command --help"
	[ "$(wc -L <long)" -le 100 ] || complain "$command --help has lines that are too long"
	for option in $(sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}--\([a-z-]*\).*/\2/p' long); do
		"$quench" "$command" --"$option" >out 2>err </dev/null
		grep -q 'there is no option' err &&
			complain "$command does not take --$option, which its help has"
	done
	says 2 "^quench $command: there is no option '--hepl'; did you mean '--help'\?" "$command" \
		--hepl
	hint=".quench $command --help. shows the options"
	says 2 "^quench $command: there is no option '--xyzzy'; $hint" "$command" --xyzzy
	says 2 "^quench $command: --help takes no value: '--help=x'" "$command" --help=x
done

# The help of `run` has its options in groups, and so has its manual page.
titles()
{
	sed -n 's/^\([a-z][a-z ]*\):$/\1/p' | paste -sd,
}
groups='options,recording,real clock,examples,exit status'
[ "$("$quench" run --help | titles)" = "$groups" ] || complain "run --help has other groups"
"$quench" run --help | sed -n '/^recording:/,/^$/p' >part
grep -q '^  --out DIR' part && ! grep -q -- '--seed\|--workers' part ||
	complain "run --help: --out is not where recording is, or other options are"
"$quench" run --help | sed -n '/^real clock:/,/^$/p' | grep -q '^  --workers N' ||
	complain "run --help: --workers is not where the real clock is"
[ "$("$quench" decode --help | titles)" = 'options,examples,exit status' ] ||
	complain "decode --help has groups that it has no options of"
"$quench" help --man run | grep -qx '\.SS "real clock"' || complain "quench-run(1) has no groups"

# An option of other commands.
says 2 "^quench run: there is no option '--vary'; .quench sweep. has it$" run first-light --vary \
	seed=1,2
says 2 "^quench run: there is no option '--column=x'; .quench sweep. has it$" run --column=x
has='.quench report., .quench compare. and .quench sweep. have it'
says 2 "^quench check: there is no option '--png'; $has$" check first-light --png
says 2 "^quench check: there is no option '--sed'; did you mean '--set'\?$" check --sed

says 2 "^quench: there is no command 'rnu'; did you mean 'run'\?$" rnu
says 2 "^quench: there is no command 'rnu'; did you mean 'run'\?$" help rnu
says 2 "^quench: there is no command 'xyzzy'; the commands are run, " xyzzy
says 2 "^quench: there is no option '--verison'; did you mean '--version'\?$" --verison

# Scenarios by name.
none='No such file or directory'
for command in run check sweep; do
	says 2 "firts-light: $none; did you mean 'first-light'\?$" $command firts-light
	says 2 "firts-light.yaml: $none; did you mean 'first-light'\?$" $command firts-light.yaml
	says 2 "victims-all: $none; .quench run --list. shows those that come with quench$" \
		$command victims-all
done
xoff=s1.classes.3.pfc.xoff=1
says 2 "$xoff: xoff 1 is below xon_offset 6KB, so there would be no XON; raise it$" \
	check first-light --set switches.$xoff
says 2 "did you mean 'incast-8to1-100g'\?$" run incast

# A value that is missing, that is wrong, and one too many.
says 2 '^quench run: --seed: a value is missing; wanted is 0..9223372036854775807$' run \
	first-light --seed
says 2 '^quench run: --clock: a value is missing; wanted is virtual, real or both$' run \
	first-light --clock
says 2 "^quench run: --clock 'rael': virtual, real or both$" run first-light --clock rael
for command in run sweep; do
	says 2 "^quench $command: --seed '-1': 0..9223372036854775807$" $command first-light \
		--seed -1
done
says 2 "^quench run: --dilate '0': 1..1000000$" run first-light --dilate 0
says 2 "^quench run: --duration '0us': a time above zero, as in 20ms or 2s$" run first-light \
	--duration 0us
says 2 "^quench run: --set 'seed': path=value, as in" run first-light --set seed
says 2 "^quench check: --set 'seed': path=value, as in" check first-light --set seed
says 2 "^quench run: --quiet takes no value: '--quiet=1'$" run first-light --quiet=1
says 2 "^quench run: '--d' can be more than one option: --duration, --dilate, --dut$" \
	run first-light --d 1
says 2 "^quench run: there is no option '-seed'; did you mean '--seed'\?$" run first-light -seed 3

# Operands: none where one is wanted, and one too many.
says 2 '^quench run: name one scenario \(.quench run --list. .*\); ' run
says 2 "^quench run: name one scenario.*: 'b' is one word too many$" run a b
says 2 '^quench check: name one scenario; .quench check --help. tells more$' check
says 2 "^quench check: name one scenario: 'b' is one word too many$" check a b
says 2 '^quench replay: name one capture; ' replay
says 2 '^a: No such file or directory$' replay a b
says 2 '^quench sweep: which scenario\?' sweep
says 2 '^quench reg: write list, read NAME, write NAME VALUE or dfx; ' reg
says 2 "^quench reg: write list, .*: 'reaad' is none of them; did you mean 'read'\?$" reg reaad \
	RATE_MEM
says 2 "^quench reg: write list, .*: 'b' is one word too many$" reg read RATE_MEM b
says 2 "^quench help: name one command, or none: 'b' is one word too many$" help run b

# Older ways to write options still work: behind operands, cut short, with an equals sign.
says 0 '^duration: 2.5ms ' check --se duration=2500us --set=seed=7 first-light --full
says 0 '^seed: 7 ' check first-light --set seed=7 --full
says 0 '^first-light  *' run --list --quiet
says 0 'duration' check --reference
says 0 'RATE_MEM' check --registers
exit $fail
