#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/tutorial.md shows exactly the output of its commands: commands are lines that four blanks
# begin, and each line of a block behind them is printed by those since the block before, in this
# order.
# usage: tutorial.sh QUENCH SOURCE_ROOT
set -euo pipefail
quench=$(realpath "$1") page=$(realpath "$2")/docs/tutorial.md
# shellcheck source=tests/pages/folder.sh
. "$(dirname "$0")/folder.sh"
fail=0

# in_order PRINTED WRITTEN: the first line that is not there, if any
in_order()
{
	awk '{ sub(/ *$/, "") }
		NR == FNR { line[++n] = $0; next }
		{ while (at < n && line[++at] != $0) ; if (line[at] != $0) { print; exit } }' \
		"$1" "$2"
}

blocks=0
: >../commands
while IFS= read -r line; do
	case $line in
	'```')
		if [ -e ../block ]; then
			bash -eu ../commands >../printed ||
				{ echo "tutorial: $(cat ../commands)"; exit 1; }
			lost=$(in_order ../printed ../block)
			[ -z "$lost" ] || { echo "tutorial: not printed: $lost"; fail=1; }
			rm ../block
			: >../commands
			blocks=$((blocks + 1))
		else
			: >../block
		fi
		;;
	*)
		if [ -e ../block ]; then
			echo "$line" >>../block
		elif [ "${line#    }" != "$line" ]; then
			echo "${line#    }" >>../commands
		fi
		;;
	esac
done <"$page"
bash -eu ../commands >../printed
[ "$blocks" -gt 5 ] || { echo "tutorial: $blocks blocks in docs/tutorial.md"; fail=1; }
exit $fail
