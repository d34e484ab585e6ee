#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs on the real clock under valgrind, from their start to their table: no memory is read or
# written that nobody has. valgrind reads no split DWARF, so the program that it runs has no debug
# information.
# usage: memcheck_command.sh QUENCH HERE
set -eu
# shellcheck source=tests/driver/app/lab.sh
. "$2/lab.sh"

objcopy --strip-debug "$quench" quench
status=0
valgrind -q --error-exitcode=99 ./quench run "$here/external_from.yaml" --clock real --no-huge \
	--set duration=100ms --out from >log 2>&1 || status=$?
[ $status = 0 ] || fail "a flow from a host that is not here: $status"
