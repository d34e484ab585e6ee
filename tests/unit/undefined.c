// SPDX-License-Identifier: BSD-3-Clause
// Undefined behaviour: under UBSan this program ends with it, or else no test would fail.
#include <limits.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", INT_MAX - 1 + argc + 1);
	return 0;
}
