#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What pages name is there: files, functions, test programs, headings, pictures. In a row of a table
# that names files and functions, each function stands in one of these files. The pages that list
# rooms have all of them. A picture has less than 200 KB, and a page shows it. Sentences are folded
# at 100 columns.
# usage: pages.sh SOURCE_ROOT
set -eu
cd "$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail=0

complain()
{
	echo "pages: $*"
	fail=1
}

find README.md CONTRIBUTING.md docs -name '*.md' >"$dir/pages"

# The text of a page without the diffs that it shows: those name what is not there yet.
text()
{
	awk '/^```diff/ { skip = 1 } !skip; /^```$/ { skip = 0 }' "$1"
}

find lib app tests examples \( -name '*.c' -o -name '*.h' \) -exec cat {} + |
	grep -oE '[a-z_][a-z0-9_]*\(' | sort -u >"$dir/functions"
find tests -name '*_test.c' -o -name '*_bench.c' | sed 's|.*/||; s|\.c$||' | sort -u >"$dir/tests"

# Files and folders; a name with a star, a brace or a capital word stands for many. The pages of
# standards and acceptance name tests of other projects.
folders='lib|app|tests|config|scripts|docs|examples'
while read -r page; do
	text "$page" |
		grep -oE "(build/)?($folders)/[A-Za-z0-9_./*{},-]*" |
		sed 's/[.,]*$//' | sort -u |
		while read -r path; do
			case $page:$path in
			docs/standards.md:tests/* | docs/acceptance.md:tests/*) continue ;;
			*:lib/quench/* | *:lib/systemd/*) continue ;; # of a machine
			*:build/* | *:tests/unit/unit_* | *[*{}]* | *ROOM*) continue ;;
			esac
			[ -e "$path" ] || echo "$page names $path"
		done
done <"$dir/pages" >"$dir/lost"

# Sources by their names alone.
find lib app tests examples -name '*.[ch]' | sed 's|.*/||' | sort -u >"$dir/sources"
while read -r page; do
	text "$page" | grep -oE '`[a-z0-9_]+\.[ch]`' | tr -d '`' | sort -u |
		grep -vxFf "$dir/sources" | sed "s|^|$page names |"
done <"$dir/pages" >>"$dir/lost"

# Sentences: all but tables, code, output that is shown, and addresses.
while read -r page; do
	awk '/^ *```/ { shown = !shown }
		!shown && !/^(\||    )/ && !/https?:/ && length > 100 {
			print FILENAME ":" FNR " has " length " columns, not 100" }' "$page"
done <"$dir/pages" >"$dir/long"

# Functions: name() between backquotes.
while read -r page; do
	text "$page" | grep -oE '`[a-z_][a-z0-9_]*\(\)`' | tr -d '`)' | sort -u |
		while read -r function; do
			case $function in
			x_*) continue ;; # stands for any
			esac
			grep -qxF "$function" "$dir/functions" || echo "$page names $function)"
		done
done <"$dir/pages" >>"$dir/lost"

# Test programs: build/tests/FOLDER/KIND_ROOM_NOUN, of a pure floor KIND_NOUN.
while read -r page; do
	text "$page" | grep -oE '(unit|driver|acceptance)_[a-z0-9_]+' | sort -u >"$dir/programs"
	while read -r program; do
		noun=${program#*_}
		while [ "$noun" ] && ! grep -qx "${noun}_test" "$dir/tests"; do
			case $noun in
			*_*) noun=${noun#*_} ;;
			*) noun= ;;
			esac
		done
		[ "$noun" ] || echo "$page names the program $program"
	done <"$dir/programs"
done <"$dir/pages" >>"$dir/lost"

# Rooms: docs/architecture.md has each in its table of folders, and docs/design.md in its list of
# floors.
sed -n '/^| folder/,/^$/p' docs/architecture.md >"$dir/house"
sed -n '/^## 1. Floors/,/^`lib/p' docs/design.md >"$dir/floors"
find lib -mindepth 2 -name meson.build | sed 's|/meson.build||' >"$dir/rooms"
while read -r room; do
	noun=${room##*/}
	grep -qE "^\\|.*\`(lib/([a-z]+/)*)?$noun\`.*\\|" "$dir/house" ||
		complain "docs/architecture.md lacks the room $room in its table of folders"
	grep -qw "$noun" "$dir/floors" || complain "docs/design.md lacks the room $room"
done <"$dir/rooms"

# Rows of docs/architecture.md.
grep -E '^\|.*`(lib|app)/.*\(\)`' docs/architecture.md | while read -r row; do
	files=$(echo "$row" | grep -oE '`(lib|app)/[a-z0-9_/]*\.[ch]`' | tr -d '`')
	[ -n "$files" ] || continue
	for function in $(echo "$row" | grep -oE '`[a-z_][a-z0-9_]*\(\)`' | tr -d '`()'); do
		# shellcheck disable=SC2086 # a list of words
		grep -qE "(^|[^a-z0-9_])$function\(" $files ||
			echo "docs/architecture.md names $function() in" $files
	done
done >>"$dir/lost"

# Links to files and to headings of pages, whose names there are their texts in lower case with
# dashes for blanks and without other signs.
cat >"$dir/links.awk" <<'END'
FNR == 1 { shown = 0; folder = FILENAME; sub(/[^\/]*$/, "", folder) }
/^```/ { shown = !shown }
shown { next }
pass == 1 && /^#/ {
	heading = tolower($0)
	gsub(/\]\([^)]*\)/, "", heading)
	sub(/^#+ /, "", heading)
	gsub(/[^a-z0-9_ -]/, "", heading)
	gsub(/ /, "-", heading)
	there[FILENAME "#" heading] = 1
}
pass == 2 {
	while (match($0, /\]\([^) ]*\)/)) {
		to = substr($0, RSTART + 2, RLENGTH - 3)
		$0 = substr($0, RSTART + RLENGTH)
		if (to ~ /:\/\//)
			continue
		path = to ~ /^#/ ? FILENAME to : folder to
		while (sub(/[^\/]+\/\.\.\//, "", path))
			;
		file = path
		sub(/#.*/, "", file)
		if (!(file in is))
			is[file] = !system("test -e " file)
		if (!is[file])
			print FILENAME " links to " file
		else if (path ~ /\.md#/ && !there[path])
			print FILENAME " links to " path
	}
}
END
# shellcheck disable=SC2046 # a list of words
awk -f "$dir/links.awk" pass=1 $(cat "$dir/pages") pass=2 $(cat "$dir/pages") >>"$dir/lost"

# Pictures, by their way from the page.
while read -r page; do
	text "$page" | grep -oE '!\[[^]]*\]\([^)]*\)' | sed 's/.*(\(.*\))$/\1/' |
		while read -r picture; do
			echo "$(dirname "$page")/$picture" | sed 's|^\./||' >>"$dir/shown"
			[ -e "$(dirname "$page")/$picture" ] || echo "$page shows $picture"
		done
done <"$dir/pages" >>"$dir/lost"
for picture in docs/pictures/*; do
	grep -qxF "$picture" "$dir/shown" || complain "no page shows $picture"
	[ "$(stat -c %s "$picture")" -lt 200000 ] || complain "$picture has 200 KB or more"
done

while read -r line; do
	complain "$line, which is not there"
done <"$dir/lost"
while read -r line; do
	complain "$line"
done <"$dir/long"
exit $fail
