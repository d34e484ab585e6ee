#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An include that goes up, or behind a wall, does not compile: tried for every room with its own
# include path.
# usage: walls.sh SOURCE_ROOT BUILD_ROOT "ROOM..." "INNER=OF..." CC...    rooms from the lowest on;
# inner rooms, and which room each is a part of
set -eu
root=$1
build=$2
rooms=$3
inner=$4
# what is left is the compiler, with ccache and options; it grows by the include path of each room
shift 4
fail=0

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

# usage: found CC... <HEADERS    which of the headers this compiler finds
found()
{
	sed 's|.*|#if __has_include("&")\nfound &\n#endif|' | "$@" -x c - | sed -n 's/^found //p'
}

doors=
for room in $rooms; do
	doors="$doors $(door "$room")"
done
set -- "$@" -std=gnu2x -D_GNU_SOURCE -E
below=
above=$doors
for room in $rooms; do
	set -- "$@" "-I$build/room/$room"
	above=${above# }
	below="$below ${above%% *}"
	case $above in
	*' '*) above=${above#* } ;;
	*) above= ;;
	esac
	# One that is found may still want another that is not.
	# shellcheck disable=SC2086 # a list of words
	printf '#include "%s"\n' $below | "$@" -x c - >/dev/null ||
		{ echo "walls: $room cannot include all of$below"; fail=1; }
	[ -n "$above" ] || continue
	# shellcheck disable=SC2086 # a list of words
	for h in $(printf '%s\n' $above | found "$@"); do
		echo "walls: $room can include $h, of a room above"
		fail=1
	done
done
# A room's own headers cannot be included, even from the top.
own=
for h in "$root"/lib/*/*/int.h "$root"/app/*/int.h "$root"/app/cli/look.h; do
	room=${h%/*}
	own="$own ${room##*/}/${h##*/}"
done
# shellcheck disable=SC2086 # a list of words
for h in $(printf '%s\n' $own | found "$@"); do
	echo "walls: $h can be included"
	fail=1
done
# meson has a path with a space between quotes.
commands=$build/walls.$$
tr "'" ' ' <"$build/compile_commands.json" >"$commands"
# An inner room is seen by the rooms from itself up to the one that it is a part of, and by none
# above.
for part in $inner; do
	wall=$build/room/${part%=*}
	inside=$(echo " $rooms " | sed -E "s/.* (${part%=*}( .*)? ${part#*=}) .*/\1/; s/ /|/g")
	grep -qF -- "-I$wall " "$commands" ||
		{ echo "walls: no file sees ${part%=*}"; fail=1; }
	awk -F'"' -v wall="-I$wall " -v inside="/($inside)/" '
		# Tests compile some files again, and may look behind walls.
		$2 == "command" { sees = index($0, wall) && $0 !~ / -o tests\// }
		$2 == "file" && sees && $4 ~ /(^|\/)(lib|app)\/[a-z]/ &&
			$4 !~ /\/tests\// && $4 !~ inside { print $4 }' \
		"$commands" >"$commands.seen"
	while read -r file; do
		echo "walls: $file sees ${part%=*}, which is a part of ${part#*=}"
		fail=1
	done <"$commands.seen"
done
rm -f "$commands" "$commands.seen"
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
