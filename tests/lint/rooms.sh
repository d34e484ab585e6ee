#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Walls between rooms: what a room exports another room uses; what it hides none does; headers come
# over a wall only as the room's public one; the order of rooms has no circle. Prints who includes
# whom, by wing (the folders of rooms that stand together), then by room.
# usage: rooms.sh SOURCE_ROOT PROGRAM_OBJECTS ROOM=ARCHIVE=FOLDER...    rooms from the lowest on
set -euo pipefail
root=$1
program=$2
shift 2
fail=0

complain()
{
	echo "rooms: $*"
	fail=1
}

declare -A dir
rooms=()
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# symbols FILE... : "NAME VISIBILITY" of each symbol that is defined for others, and "NAME -" of
# each symbol that is needed from others
symbols()
{
	readelf -sW "$@" 2>/dev/null | awk '$5 == "GLOBAL" || $5 == "WEAK" {
		print $8, $7 == "UND" ? "-" : $6 }' | sort -u
}

# asserted SOURCE... : what is called in an assert there. A release build leaves asserts out, so
# that its symbols do not tell of that.
asserted()
{
	sed -n 's/.*\bassert(//p' "$@" | grep -oE '[a-z_][a-z0-9_]*\(' | tr -d '(' || true
}

for each; do
	IFS== read -r room archive folder <<<"$each"
	rooms+=("$room")
	dir[$room]=$folder
	symbols "$archive" >"$work/$room.all"
	{ awk '$2 == "-" {print $1}' "$work/$room.all"; asserted "$folder"/*.[ch]; } |
		sort -u >"$work/$room.wants"
done
{ symbols "$program"/*.o | awk '$2 == "-" {print $1}'; asserted "$root"/app/*/*.[ch]; } |
	sort -u >"$work/app.wants"

for room in "${rooms[@]}"; do
	others=()
	for other in "${rooms[@]}" app; do
		[ "$other" = "$room" ] || others+=("$work/$other.wants")
	done
	sort -u "${others[@]}" >"$work/wanted"
	awk '$2 == "DEFAULT" {print $1}' "$work/$room.all" |
		comm -23 - "$work/wanted" >"$work/unused"
	awk '$2 == "HIDDEN" {print $1}' "$work/$room.all" |
		comm -12 - "$work/wanted" >"$work/broken"
	while read -r name; do
		complain "$room exports $name, which no other room uses"
	done <"$work/unused"
	while read -r name; do
		complain "$room hides $name, but another room uses it"
	done <"$work/broken"
done

# usage: wing ROOM    the folder that its room stands in; a room of floors 0 to 2 is its own
wing()
{
	local in=${dir[$1]:-app}

	in=${in#"$root"/}
	in=${in#lib/}
	[ "$in" = "${in%/*}" ] || in=${in%/*}
	echo "${in##*/}"
}

# Who includes whom, a line "ROOM OTHER" for each.
below=' '
for room in "${rooms[@]}" app; do
	folder=${dir[$room]:-$root/app}
	while read -r other h; do
		if [ -z "${dir[$other]:-}" ] || [ "$other" = "$room" ]; then
			continue
		fi
		echo "$room $other"
		[ "$room" = app ] || case $below in
		*" $other "*) ;;
		*) complain "$room includes ${other}, which is above it" >&2 ;;
		esac
		[ "$h" = "$other" ] || [ ! -f "${dir[$other]}/$other.h" ] ||
			[ "${dir[$other]%/*}" = "$root/lib" ] ||
			complain "$room includes $other/$h.h, not $other/$other.h" >&2
	done < <(sed -nE 's|^#include "([a-z_0-9]+)/([a-z_0-9]+)\.h".*|\1 \2|p' "$folder"/*.[ch] \
		"$folder"/*/*.[ch] 2>/dev/null | sort -u)
	below="$below$room "
done >"$work/includes"

# usage: matrix NAME... <PAIRS    an x where the row's name includes headers of the column's
matrix()
{
	awk -v names="$*" '
	{ has[$1, $2] = 1 }
	END {
		n = split(names, name, " ")
		printf "%-10s", ""
		for (i = 1; i < n; i++)
			printf "%-10s", name[i]
		print ""
		for (i = 1; i <= n; i++) {
			printf "%-10s", name[i]
			for (k = 1; k < n; k++)
				printf "%-10s", i == k ? "o" : (name[i], name[k]) in has ? "x" : "."
			print ""
		}
	}'
}

wings=()
for room in "${rooms[@]}" app; do
	w=$(wing "$room")
	case " ${wings[*]} " in
	*" $w "*)
		[ "${wings[-1]}" = "$w" ] || complain "the rooms of wing $w do not stand together"
		;;
	*) wings+=("$w") ;;
	esac
done
while read -r room other; do
	echo "$(wing "$room") $(wing "$other")"
done <"$work/includes" | matrix "${wings[@]}"
echo
matrix "${rooms[@]}" app <"$work/includes"
if grep -rn '#include "\.\./' "$root/lib" "$root/app"; then
	complain "an include climbs out of its folder"
fi
exit $fail
