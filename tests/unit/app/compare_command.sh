#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# quench compare: the files that it leaves, CSV on standard output, the folder of a sweep, both
# controls with their seeds, and one line for what cannot be drawn.
# usage: compare_command.sh QUENCH
set -u
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail=0

complain() {
	echo "compare_command: $1"
	cat out err
	fail=1
}

# expect STATUS ARGUMENT...
expect() {
	local status=$1
	shift
	"$quench" compare "$@" >out 2>err
	local got=$?
	[ $got -eq "$status" ] || complain "$*: exit status $got, $status is right"
	[ "$status" -eq 0 ] || [ "$(wc -l <err)" -eq 1 ] || complain "$*: one line is wanted"
}

has() {
	grep -qE -- "$2" "$1" || complain "$1 lacks '$2'"
}

# leaves FILE... : these files of the figure, and no other
leaves() {
	[ "$(cd figures && echo *)" = "$*" ] || complain "$(cd figures && echo *) instead of $*"
	rm -r figures
	mkdir figures
}
mkdir figures

control=flows.incast.control=none,dcqcn
"$quench" sweep first-light --duration 5ms --vary $control --vary seed=1,2 --files --hdr --quiet \
	--out swept || complain "the sweep fails"

expect 0 swept --figure queue -o figures/q.svg
has out '^figure: figures/q.dat, .gp, .svg$'
has figures/q.gp "set title 'first-light: queue s1:r.3, mean in 0.1 ms'.*'mean of 2 seeds"
has figures/q.gp "title 'no control'"
has figures/q.gp "title 'dcqcn'"
leaves q.dat q.gp q.svg
expect 0 swept --figure goodput -o figures/g.png
leaves g.dat g.gp g.png
expect 0 swept --figure cdf --svg --png --csv -o figures/c
has out '^figure: figures/c.dat, .gp, .svg, .png, .csv$'
leaves c.csv c.dat c.gp c.png c.svg
expect 0 swept --figure pauses --csv
has out '^line,port,paused_percent,'
has out '^dcqcn,h1:s1.3,.*,no control,-.*,2$'
expect 0 swept --figure pauses --csv -o figures/p.txt
[ ! -s out ] || complain "there is CSV on standard output"
leaves p.txt

# Two runs by their folders: what differs is their name. Each may have a label.
expect 0 swept/*control=none,seed=1 swept/*control=dcqcn,seed=1 --figure queue --csv
has out '^no control,'
has out '^dcqcn,'
expect 0 swept/*control=none,seed=1 swept/*control=none,seed=2 --figure queue --csv \
	--label one --label two
has out '^one,5000,'
has out '^two,5000,'

expect 2 swept swept --label one
has err '^quench compare: 1 label for 2 folders; give each folder one, in their order$'
expect 2 figures
has err '^quench compare: figures: no folder of a run'
expect 2 swept --figure queue --queue s9:r.3
has err 'timeseries.csv has no queue s9:r.3$'
expect 2 swept -o 'figures/a b.svg'
has err "^quench compare: -o figures/a b.svg: name files by letters, digits"
expect 2 swept --figure queue -o nowhere/q.svg
has err '^quench compare: nowhere/q.dat: '
"$quench" sweep first-light --duration 2ms --quiet --out bare || complain "the sweep fails"
expect 2 bare
has err '^quench compare: bare: a sweep whose runs have left no folders; run it with --files$'
leaves '*'

mkdir empty
PATH=$dir/empty "$quench" compare swept --figure queue -o figures/q.svg >out 2>err
[ $? -eq 2 ] || complain "without gnuplot the exit status is 2"
has err 'gnuplot is not installed'
leaves q.dat q.gp
exit $fail
