// SPDX-License-Identifier: BSD-3-Clause
// A program that is built without any hardening: the lint must see that.
#include <stdio.h>

int main(int argc, char **argv)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", argc);
	return argv[0][0] == text[0];
}
