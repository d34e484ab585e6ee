#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Protections of the built program against faults in its own memory, read from its ELF file: each
# line names a missing one.
# usage: hardening.sh PROGRAM IS_FORTIFIED    IS_FORTIFIED: true where glibc's checked calls are to
#        be expected
set -eu
program=$1
is_fortified=$2
head=$(LC_ALL=C readelf -hldW "$program")
symbols=$(LC_ALL=C readelf -sW "$program")
fail=0

complain()
{
	echo "hardening: $(basename "$program") $1"
	fail=1
}

# usage: has TEXT PATTERN
has()
{
	printf '%s\n' "$1" | grep -Eq "$2"
}

has "$head" 'FLAGS_1\).* PIE' || complain "is not position-independent: -fPIE -pie is missing"
has "$head" '^ *GNU_RELRO ' || complain "has no read-only relocations: -Wl,-z,relro is missing"
has "$head" '\(FLAGS_1\).* NOW|\(BIND_NOW\)|\(FLAGS\).* BIND_NOW' ||
	complain "binds symbols late, so its table of calls stays writable: -Wl,-z,now is missing"
has "$head" '^ *GNU_STACK .* RW +0x' || complain "has a stack that can be executed"
! has "$head" '\(TEXTREL\)' || complain "has relocations in its code"
has "$symbols" ' __stack_chk_fail(@|$)' ||
	complain "does not guard its stack: -fstack-protector-strong is missing"
if [ "$is_fortified" = true ]; then
	has "$symbols" ' __[a-z]*(cpy|printf|read|realpath)_chk(@|$)' ||
		complain "calls none of glibc's checked functions: -D_FORTIFY_SOURCE=2 is missing"
fi
exit $fail
