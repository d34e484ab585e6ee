#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A checkout whose path has a space builds, and its tests pass.
# usage: checkout.sh SOURCE_ROOT
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
root="$dir/a checkout"
git clone -q "$1" "$root"
cd "$1"
# Changed and new files that are not committed are tried, too.
git diff --binary HEAD >"$dir/changes"
[ ! -s "$dir/changes" ] || git -C "$root" apply "$dir/changes"
git ls-files -o --exclude-standard -z | tar -c --null -T - | tar -x -C "$root"
"$root/scripts/build"
"$root/scripts/count" meson test -C "$root/build" --no-rebuild --print-errorlogs --no-suite field \
	--no-suite live
