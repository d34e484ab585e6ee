#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A reaction point that is a file in each room stays in its own files: outside of them, of tests,
# scenarios and its page its name stands in a few files only, which list what there is.
# usage: words.sh SOURCE_ROOT
set -eu
cd "$1"
most=6
fail=0

for word in dctcp timely; do
	files=$(find README.md CONTRIBUTING.md app lib docs scripts examples meson.build -type f \
		-exec grep -liE "(^|[^a-z])$word([^a-z]|\$)" {} + | sort |
		grep -vxE -e "lib/rp/${word}_rp\.[ch]|docs/algo/$word\.md" \
			-e "lib/run/scenario/schema/$word\.c")
	n=$(echo "$files" | grep -c .)
	[ "$n" -le $most ] && continue
	echo "words: '$word' stands in $n files besides its own, at most $most may name it:"
	echo "$files" | sed 's/^/    /'
	fail=1
done
exit $fail
