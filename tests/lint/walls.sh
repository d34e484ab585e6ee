#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An include that goes up, or behind a wall, does not compile: tried for every room with its own
# include path.
# usage: walls.sh SOURCE_ROOT BUILD_ROOT "ROOM..." CC...    rooms from the lowest on
set -eu
root=$1
build=$2
rooms=$3
# what is left is the compiler, with ccache and options; it grows by the include path of each room
shift 3
fail=0

# usage: probe HEADER CC...
probe()
{
	header=$1
	shift
	printf '#include "%s"\n' "$header" | "$@" -x c - 2>/dev/null
}

# A header of a room: of those with a wall the public one, else the first.
door()
{
	if [ -f "$build/room/$1/$1/$1.h" ]; then
		echo "$1/$1.h"
	else
		set -- "$1" "$build/room/$1/$1"/*.h
		echo "$1/${2##*/}"
	fi
}

set -- "$@" -std=gnu2x -D_GNU_SOURCE -E
below=' '
for room in $rooms; do
	set -- "$@" "-I$build/room/$room"
	below="$below$room "
	for other in $rooms; do
		h=$(door "$other")
		case $below in
		*" $other "*) probe "$h" "$@" >/dev/null ||
			{ echo "walls: $room cannot include $h"; fail=1; } ;;
		*) ! probe "$h" "$@" >/dev/null ||
			{ echo "walls: $room can include $h, of a room above"; fail=1; } ;;
		esac
	done
done
# What a room keeps for itself is not to be had, even from the top.
for own in "$root"/lib/*/*/int.h "$root"/app/*/int.h "$root"/app/cli/look.h; do
	room=${own%/*}
	own=${room##*/}/${own##*/}
	! probe "$own" "$@" >/dev/null || { echo "walls: $own can be included"; fail=1; }
done
# Two algorithms never include each other: they meet in a node.
for c in "$root"/lib/algo/*.[ch] "$root"/lib/transport/*.[ch] "$root"/lib/rp/*.[ch]; do
	own=$(basename "$c" | sed 's/\..*//')
	for h in $(sed -n 's|^#include "\(algo/\|transport/\)*\([a-z_]*\)\.h"|\2|p' "$c"); do
		# words that algorithms share, not one of them
		[ -f "${c%/*}/$h.c" ] || continue
		case $own:$h in
		"$h":* | "$h"_*) ;;
		rdma_ip_*:rdma_ip_*) ;; # the parts of one core, in files of their own
		rp:*) ;; # one object for every kind of reaction point
		*) echo "walls: ${c#"$root"/lib/} includes $h.h"; fail=1 ;;
		esac
	done
done
exit $fail
