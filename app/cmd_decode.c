// SPDX-License-Identifier: BSD-3-Clause
#include "cmd.h"
int cmd_decode(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 0;
}
