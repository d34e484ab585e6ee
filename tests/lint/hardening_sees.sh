#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# hardening.sh names everything that a program lacks which is built without.
# usage: hardening_sees.sh PROGRAM
set -eu
here=$(dirname "$0")
if said=$("$here/hardening.sh" "$1" true); then
	echo "hardening.sh passes a program that has nothing"
	exit 1
fi
fail=0
for word in position-independent relro z,now 'can be executed' stack-protector FORTIFY; do
	printf '%s\n' "$said" | grep -q -e "$word" ||
		{ echo "hardening.sh does not say: $word"; fail=1; }
done
[ $fail = 0 ] || printf '%s\n' "$said"
exit $fail
