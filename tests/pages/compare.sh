#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/compare.md: the commands of its figure run as written, and the block behind them is what the
# last one prints.
# usage: compare.sh QUENCH SOURCE_ROOT BUILD_ROOT
set -euo pipefail
quench=$(realpath "$1") root=$(realpath "$2")
page=$root/docs/compare.md
# shellcheck source=tests/pages/folder.sh
. "$(dirname "$0")/folder.sh"
ln -s "$root/config" config

# The contents of the first block of a kind behind the heading.
block()
{
	awk -v kind="$1" '/^## / { there = $0 == "## In one picture" }
		there && /^```/ { on = !inside && $0 == "```" kind; inside = !inside; next }
		on { any = 1; print }
		!on && any { exit }' "$page"
}

block sh >commands
block '' >written
[ "$(grep -c "^quench" commands)" -eq 3 ] ||
	{ echo "compare: the page has other commands"; exit 1; }
[ -s written ] || { echo "compare: the page does not say what they print"; exit 1; }
bash -euo pipefail commands >out 2>err </dev/null ||
	{ echo "compare: a command fails"; cat err; exit 1; }
[ -s side/queue.svg ] || { echo "compare: there is no picture"; exit 1; }
grep -e ^line -e s0:s1 out >printed
diff written printed || { echo "compare: the page (<) and the command (>) differ"; exit 1; }
