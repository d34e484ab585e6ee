#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/howto/algorithm.md: its source compiles, its commands run as they stand there, and the row of
# the table is what they print on a terminal of 100 columns.
# usage: howto.sh QUENCH SOURCE_ROOT BUILD_ROOT
set -euo pipefail
quench=$(realpath "$1") root=$(realpath "$2") build=$(realpath "$3")
page=$root/docs/howto/algorithm.md here=$(realpath "$(dirname "$0")")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
ln -s "$root/config" config
mkdir build
ln -s "$build/include" build/include
ln -s "$quench" build/quench

# The contents of the blocks of a kind.
blocks()
{
	awk -v kind="$1" '/^```/ { on = !inside && $0 == "```" kind; inside = !inside; next } on' \
		"$page"
}

blocks sh >commands
[ "$(grep -c '^build/quench\|^cc ' commands)" -ge 5 ] ||
	{ echo "howto: the page has few commands"; exit 1; }
# The source comes between the folder and the compiler.
awk 'BEGIN { print "set -euo pipefail" } 1; /^mkdir mine$/ { print "cp source.c mine/mine.c" }' \
	commands >script
blocks c >source.c
"$here/terminal.sh" "bash script && echo all of it" >printed 2>&1
grep -q '^all of it$' printed ||
	{ echo "howto: a command of the page fails"; tail printed; exit 1; }

# The other runs make columns as wide as they are.
blocks '' | sed 's/  */ /g; s/ $//; /^$/d' >written
[ -s written ] || { echo "howto: the page has no row"; exit 1; }
grep -m 4 -e '^run ' -e '^mine ' printed | # two parts
	sed 's/  */ /g; s/ $//' >row
diff written row || { echo "howto: the page (<) and the command (>) differ"; exit 1; }
