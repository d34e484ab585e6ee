#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs of a program that was built with ThreadSanitizer: no two threads use the same memory in no
# order, but as reports.py and suppressions.txt say.
# usage: threads.sh QUENCH SUPPRESSIONS ask|run ARGUMENT...    arguments of `quench run`; with `ask`
# other processes ask the run, and write registers, while it goes on
set -eu
quench=$(realpath "$1")
suppressions=$(realpath "$2")
judge=$(realpath "$(dirname "$0")/reports.py")
what=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
name=threads-$$

# usage: answers COMMAND...    whether quench answers it in the end: a run is slow while
# ThreadSanitizer writes its reports
answers()
{
	tries=0
	until "$quench" "$@" --instance $name >asked 2>&1; do
		tries=$((tries + 1))
		if [ $tries -ge 600 ] || ! kill -0 $pid; then return 1; fi
		sleep 0.1
	done
}

# The questions name hosts and queue pairs of tests/driver/app/reg.yaml.
ask()
{
	answers reg list || return 1
	for rate in 64 128; do
		answers reg write RATE_MEM.target_rate $rate --host h2 || return 1
		answers reg read RATE_MEM --host h1 --qp 2 || return 1
		answers stats || return 1
	done
}

status=0
export TSAN_OPTIONS="suppressions=$suppressions exitcode=0 history_size=4 log_path=$dir/races"
"$quench" run --out out --instance $name "$@" >log 2>&1 &
pid=$!
if [ "$what" = ask ]; then
	ask || { cat asked; status=3; }
	kill -INT $pid
fi
ended=0
wait $pid || ended=$?
case $ended in
0 | 130) ;;
1) ;; # a loop came so late that a criterion of the run does not hold
*) status=$ended ;;
esac
[ -s out/summary.json ] || status=2
[ $status = 0 ] || cat log
for f in races.*; do
	[ ! -f "$f" ] || "$judge" "$f" || status=1
done
exit $status
