#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Walls between rooms: what a room exports another room uses; what it hides none does; headers come
# over a wall only as the room's public one; the order of rooms has no circle. Prints who includes
# whom.
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

# Who includes whom: an x where the row's room includes headers of the column's.
below=' '
printf '%-10s' ''
for room in "${rooms[@]}"; do printf '%-10s' "$room"; done
echo
for room in "${rooms[@]}" app; do
	printf '%-10s' "$room"
	folder=${dir[$room]:-$root/app}
	declare -A from=()
	while read -r other h; do
		from[$other]="${from[$other]:-} $h"
	done < <(sed -nE 's|^#include "([a-z_0-9]+)/([a-z_0-9]+)\.h".*|\1 \2|p' "$folder"/*.[ch] |
		sort -u)
	for other in "${rooms[@]}"; do
		if [ "$other" = "$room" ]; then
			printf '%-10s' o
			continue
		fi
		headers=${from[$other]:-}
		if [ -z "$headers" ]; then
			printf '%-10s' .
			continue
		fi
		printf '%-10s' x
		[ "$room" = app ] || case $below in
		*" $other "*) ;;
		*) complain "$room includes ${other}, which is above it" ;;
		esac
		for h in $headers; do
			[ "$h" = "$other" ] || [ ! -f "${dir[$other]}/$other.h" ] ||
				[ "${dir[$other]%/*}" = "$root/lib" ] ||
				complain "$room includes $other/$h.h, not $other/$other.h"
		done
	done
	echo
	below="$below$room "
done
if grep -rn '#include "\.\./' "$root/lib" "$root/app"; then
	complain "an include climbs out of its folder"
fi
exit $fail
