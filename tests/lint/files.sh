#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every file carries its licence and keeps within its width; every source is registered.
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

# Rules for the lines of each file: one reader for all of them.
kept=$(for f in $files; do
	case $f in
	tests/data/* | tests/fuzz/corpus/* | docs/pictures/* | tests/scenario/golden* | \
		tests/scenario/values.txt) continue ;;
	esac
	[ ! -f "$f" ] || echo "$f"
done)
echo "$kept" | tr '\n' '\0' | xargs -0 awk '
	function complain(what) { print "files: " file " " what; failed = 1 }
	# columns, with tabs of 8
	function width(line,  n, i) {
		while ((i = index(line, "\t"))) {
			n += int((n % 8 + i - 1) / 8) * 8 + 8 - n % 8
			line = substr(line, i + 1)
		}
		return n + length(line)
	}
	function finish() {
		if (file == "")
			return
		if (!licence)
			complain("has no SPDX line")
		if (bytes > 1000000)
			complain("is over 1 MB")
		if (is_c && lines > 800)
			print "files: warning: " file " has " lines " lines: more than one noun?"
		if (is_c && second !~ /^\/\/ ./)
			complain("does not say in line 2 what it knows")
		if (file ~ /^lib\/.*\.h$/ && !once)
			complain("has no #pragma once")
	}
	FNR == 1 {
		finish()
		file = FILENAME
		licence = once = bytes = 0
		second = ""
		is_c = file ~ /\.[ch]$/
		# Pages have tables, and a table of texts has lines of its own.
		is_wide = file ~ /\.(md|txt|csv|json|svg)$/ || file == "LICENSE"
	}
	FNR == 2 { second = $0 }
	FNR <= 4 && /SPDX-License-Identifier: BSD-3-Clause/ { licence = 1 }
	/^#pragma once$/ { once = 1 }
	{ lines = FNR; bytes += length($0) + 1 }
	!is_wide && length($0) > 20 && width($0) > 100 {
		complain("has more than 100 columns in line " FNR)
	}
	END { finish(); exit failed }' || fail=1

for f in $kept; do
	[ -s "$f" ] || complain "$f is empty"
	case $f in
	lib/*.c | app/*/*.c)
		grep -q "'${f##*/}'" "${f%/*}/meson.build" ||
			complain "$f is not in ${f%/*}/meson.build"
		;;
	tests/unit/*_test.c)
		n=${f##*/}
		grep -q "'${n%_test.c}'" tests/unit/meson.build ||
			complain "$f is not in tests/unit/meson.build"
		;;
	esac
done

for h in $(git grep -lE '^#include "(scene|schema|draft|hardware|traffic|compile|world|sonic)/' \
	-- lib/run/experiment 2>/dev/null || true); do
	complain "$h includes a scenario; an experiment sees the frames of its ports alone"
done

for h in $(git grep -lE '^#include <rte_' -- lib app 2>/dev/null || true); do
	case $h in
	lib/run/clock/vt/*) complain "$h includes DPDK, and virtual time does without" ;;
	lib/run/clock/*) ;;
	*) complain "$h includes DPDK; only the rooms in dpdk_rooms of lib/meson.build may" ;;
	esac
done
exit $fail
