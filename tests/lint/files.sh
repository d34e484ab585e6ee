#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every file carries its licence and its size; every source is registered; every lib file has its unit test.
# usage: files.sh SOURCE_ROOT
set -eu
cd "$1"
fail=0

complain()
{
	echo "files: $*"
	fail=1
}

if git rev-parse --git-dir >/dev/null 2>&1; then
	files=$(git ls-files -co --exclude-standard)
else
	files=$(find . -path ./build -prune -o -type f -print | sed 's|^\./||')
fi

for f in $files; do
	[ -f "$f" ] || continue
	case $f in
	tests/data/* | tests/fuzz/corpus/* | tests/fuzz/*/corpus/* | tests/scenario/golden*) continue ;;
	esac
	head -n 4 "$f" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || complain "$f has no SPDX line"
	if [ "$(wc -c <"$f")" -gt 1000000 ]; then
		complain "$f is over 1 MB"
	fi
	case $f in
	*.c | *.h)
		lines=$(wc -l <"$f")
		[ "$lines" -le 500 ] || complain "$f has $lines lines, 500 is the most"
		sed -n 2p "$f" | grep -q '^// .' || complain "$f does not say in line 2 what it knows"
		;;
	esac
	case $f in
	lib/*.h)
		grep -q '^#pragma once$' "$f" || complain "$f has no #pragma once"
		;;
	esac
	case $f in
	lib/*.c)
		n=$(basename "$f" .c)
		grep -q "'$n\.c'" lib/*/meson.build || complain "$f is in no meson.build"
		case $n in rt* | telemetry*) continue ;; esac # needs EAL: tests/driver
		[ -f "tests/unit/${n}_test.c" ] || complain "$f has no tests/unit/${n}_test.c"
		;;
	tests/unit/*_test.c)
		n=$(basename "$f" _test.c)
		grep -q "'$n'" tests/unit/meson.build || complain "$f is not in tests/unit/meson.build"
		;;
	app/*.c)
		grep -q "'$(basename "$f")'" app/meson.build || complain "$f is not in app/meson.build"
		;;
	esac
	case $f in
	app/*.[ch])
		[ "$lines" -le 200 ] || complain "$f has $lines lines, 200 is the most in app/"
		;;
	esac
done

for h in $(git grep -lE '^#include <rte_' -- lib app 2>/dev/null || true); do
	case $h in
	lib/run/rt* | lib/run/telemetry*) ;;
	*) complain "$h includes DPDK; only rt and telemetry may" ;;
	esac
done
exit $fail
