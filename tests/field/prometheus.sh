#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What quench stats --prometheus prints, of all figures and of its own choice, has no complaint of
# Prometheus' linter.
# usage: prometheus.sh QUENCH SCENARIO
set -eu
quench=$1
dir=$(mktemp -d)
name=prometheus-$$
"$quench" run "$2" --clock real --dilate 20 --no-huge --quiet --instance $name \
	--out "$dir/run" --set duration=2s >"$dir/log" 2>&1 &
pid=$!
trap 'kill $pid 2>/dev/null || true; wait $pid 2>/dev/null || true; rm -rf "$dir"' EXIT

tries=0
until "$quench" stats 'pg.*.held_bytes' --instance $name >"$dir/out" 2>&1; do
	tries=$((tries + 1))
	[ $tries -lt 2000 ] && kill -0 $pid ||
		{ cat "$dir/out" "$dir/log"; echo "no figures come"; exit 1; }
done
for what in '' '*'; do
	# shellcheck disable=SC2086 # no word where there is no pattern
	set -f
	"$quench" stats --instance $name --prometheus $what >"$dir/prom"
	set +f
	promtool check metrics <"$dir/prom" >"$dir/out" 2>&1 && [ ! -s "$dir/out" ] ||
		{ cat "$dir/out"; echo "promtool complains"; exit 1; }
	echo "$(grep -c '^quench_' "$dir/prom") figures," \
		"$(grep -c '^# TYPE' "$dir/prom") families"
done
# It is sharp: a counter without its end is seen.
sed 's/quench_total_marks_total/quench_total_marks/' "$dir/prom" |
	promtool check metrics >"$dir/out" 2>&1 && { echo "promtool sees nothing"; exit 1; }
exit 0
