#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The tables of sweeps in pages are what their commands print on a terminal of 100 columns: a
# command is a line that four blanks and `quench sweep` begin, and its table the next block.
# usage: tables.sh QUENCH SOURCE_ROOT BUILD_ROOT
set -euo pipefail
quench=$(realpath "$1") root=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/pages/folder.sh
. "$(dirname "$0")/folder.sh"
ln -s "$root/config" config
failed=0

for page in compare compare-recovery pathologies sweep; do
	awk -v page="$page" '
		/^    quench sweep / { n++; command = 1; block = 0 }
		command { print substr($0, 5) >page "." n ".command"; command = /\\$/; next }
		/^```$/ && n && block < 2 { block++; next }
		block == 1 { sub(/ *$/, ""); print >page "." n ".written" }
		' "$root/docs/$page.md"
	tables=$(ls "$page".*.written) || { echo "tables: docs/$page.md has no table"; exit 1; }
	for table in $tables; do
		command=${table%.written}.command
		"$here/terminal.sh" "bash $command" | grep -v '^results' |
			sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >printed
		diff "$table" printed && continue
		echo "tables: docs/$page.md (<) and what its command prints (>) differ:"
		cat "$command"
		failed=1
	done
done
exit "$failed"
