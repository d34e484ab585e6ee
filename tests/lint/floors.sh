#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An include that goes up a floor does not compile: tried for every floor with its own include path.
# usage: floors.sh BUILD_ROOT CC...
set -eu
build=$1
shift # what is left is the compiler, with ccache and options; it grows by the include path of each floor
fail=0
# usage: probe HEADER CC...
probe()
{
	header=$1
	shift
	printf '#include "%s"\n' "$header" | "$@" -x c - 2>/dev/null
}
set -- "$@" -std=gnu2x -D_GNU_SOURCE -fsyntax-only
below=
for floor in base wire algo node run; do
	set -- "$@" "-I$build/floor/$floor"
	for up in base:base/tstamp.h wire:wire/pkt.h algo:algo/red.h node:node/ev.h run:run/err.h; do
		f=${up%%:*}
		h=${up#*:}
		case " $below $floor " in
		*" $f "*) probe "$h" "$@" || { echo "floors: $floor cannot include $h"; fail=1; } ;;
		*) ! probe "$h" "$@" || { echo "floors: $floor can include $h, a higher floor"; fail=1; } ;;
		esac
	done
	below="$below $floor"
done
# Two algorithms never include each other: they meet in a node.
root=$(cd "$(dirname "$0")/../.." && pwd)
for c in "$root"/lib/algo/*.[ch]; do
	own=$(basename "$c" | sed 's/\..*//')
	for h in $(sed -n 's|^#include "algo/\([a-z_]*\)\.h"|\1|p' "$c"); do
		[ -f "$root/lib/algo/$h.c" ] || continue # words that algorithms share, not one of them
		case $own:$h in
		"$h":* | "$h"_*) ;;
		hw_*:hw_*) ;; # the parts of one core, in files of their own
		*) echo "floors: algo/$own includes algo/$h"; fail=1 ;;
		esac
	done
done
exit $fail
