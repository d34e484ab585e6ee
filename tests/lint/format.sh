#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# clang-format decides how C looks.
# usage: format.sh SOURCE_ROOT
set -eu
cd "$1"
find app examples lib tests \( -name '*.c' -o -name '*.h' \) -print0 |
	xargs -0 clang-format --dry-run --Werror 2>&1 | grep -E 'warning|error' |
	head -20 >/tmp/quench-format.$$ || true
if [ -s /tmp/quench-format.$$ ]; then
	cat /tmp/quench-format.$$
	rm -f /tmp/quench-format.$$
	exit 1
fi
rm -f /tmp/quench-format.$$
