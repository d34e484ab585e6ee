#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `quench run --clock both`: a folder for each clock in the one that was asked for, however long its
# name, and the figures of both beside each other.
# usage: both_command.sh QUENCH CONFIG
set -eu
quench=$(realpath "$1")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
x10=xxxxxxxxxx
x100=$x10$x10$x10$x10$x10$x10$x10$x10$x10$x10
out=$dir/$x100/$x100/$x100

"$quench" run "$2/first-light.yaml" --clock both --no-huge --duration 1ms --set warmup=0us \
	--references 5 --out "$out" >"$dir/log" 2>&1 ||
	[ $? -eq 1 ] || { cat "$dir/log"; exit 1; } # the clocks need not agree in so short a time
for clock in virtual real; do
	[ -s "$out/$clock/summary.json" ] ||
		{ echo "both_command: $out/$clock is missing"; cat "$dir/log"; exit 1; }
done
grep -q '^5 runs in virtual time, and one in real time:$' "$dir/log" &&
	grep -q '^  goodput Gb/s  *[0-9.]*  *[0-9.]* \.\. [0-9.]*  *[0-9.]*' "$dir/log" &&
	grep -q '^the clocks \(agree\|DISAGREE where marked (!)\) (' "$dir/log" ||
	{ echo "both_command: the figures of both clocks are missing"; cat "$dir/log"; exit 1; }
