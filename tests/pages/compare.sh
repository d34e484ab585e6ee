#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The table in docs/compare.md is what its command prints.
# usage: compare.sh QUENCH SOURCE_ROOT
set -euo pipefail
quench=$(realpath "$1") root=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
read -ra command < <(sed -n 's/^    quench \(sweep config\/compare.*\)/\1/p' \
	"$root/docs/compare.md")
[ "${#command[@]}" -ge 2 ] || { echo "compare: docs/compare.md names no command"; exit 1; }
ln -s "$root/config" config
# The pattern is for the shell to fill in: it stands so in the page.
# shellcheck disable=SC2068
"$quench" ${command[@]} --out out | sed 's/ *$//' | grep -v -e '^$' -e '^results' >printed
sed -n '/^```$/,/^```$/p' "$root/docs/compare.md" | sed '1d;/^```$/,$d' | sed 's/ *$//' >written
[ -s written ] || { echo "compare: docs/compare.md has no table"; exit 1; }
diff written printed || { echo "compare: the page (<) and the command (>) differ"; exit 1; }
