// SPDX-License-Identifier: BSD-3-Clause
// Undefined behaviour: under UBSan this program ends with it, or else no test would fail. The build
// defines what an addition does that overflows, but not a shift by the width of its type.
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argv;
	printf("%u\n", 1u << (31 + argc));
	return 0;
}
