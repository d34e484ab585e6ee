#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Floors 0 to 3 are pure: their archives name no symbol outside the allow list and hold no mutable
# data.
# usage: purity.sh ALLOW_LIST ARCHIVE...
set -eu
allow=$1
shift
fail=0

# Symbols that the archives need and none of them gives.
given=$(nm -g --defined-only "$@" 2>/dev/null | awk 'NF == 3 {print $3}' | sort -u)
needed=$(nm -g --undefined-only "$@" 2>/dev/null | awk '$1 == "U" {print $2}' | sort -u)
allowed=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$allow" | awk '{print $1}')
for s in $needed; do
	printf '%s\n' "$given" | grep -qx "$s" && continue
	printf '%s\n' "$allowed" | grep -qx "$s" && continue
	echo "purity: a pure floor calls $s; it is not in $allow"
	fail=1
done

# .data and .bss are empty; .rodata and .data.rel.ro are constants.
for a in "$@"; do
	bad=$(size -A "$a" | awk '
		/^\.(data|bss|tdata|tbss|data\.rel\.local|data\.[a-z_]+|bss\.[a-z_]+)[[:space:]]/ &&
		$1 !~ /^\.data\.rel\.ro/ && $2 > 0 {print $1, $2; exit}')
	if [ -n "$bad" ]; then
		echo "purity: $(basename "$a") holds mutable data: $bad bytes"
		fail=1
	fi
done
exit $fail
