#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The warnings of the scenarios that come with quench and of the tests' scenarios: exactly the lines
# of warnings.txt, a line for each file and kind, whatever the port. A new line there means a
# scenario that deserves it.
# usage: warnings.sh QUENCH SOURCE
set -eu
export LC_ALL=C
quench=$(realpath "$1")
cd "$2"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

for f in config/*.yaml config/compare/*.yaml config/compare-recovery/*.yaml config/faults/*.yaml \
	config/jobs/*.yaml config/sigcomm15/*.yaml config/verify/*/*.yaml tests/scenario/*.yaml \
	tests/scenario/acceptance/*.yaml; do
	"$quench" check "$f" >"$dir/check"
	sed -n -E "s,^warning: ($f:[0-9]+: )?(.*),$f \\2,p" "$dir/check" |
		sed -E 's, ([a-z]+[0-9]*):[a-z]+[0-9]* class, \1:* class,' | sort -u
done >"$dir/have"
grep -v '^#' tests/scenario/warnings.txt >"$dir/want"
diff "$dir/want" "$dir/have" || {
	echo "warnings.sh: < is what tests/scenario/warnings.txt has, > what is warned of"
	exit 1
}
