// SPDX-License-Identifier: BSD-3-Clause
// quench top of a build without ncursesw: there is none, and it says how to get one.
#include "main.h"

int top_watch(const char *instance, unsigned every_ms)
{
	(void)instance;
	(void)every_ms;
	return tell_input("quench top",
		"this build has none, since ncursesw was missing (Debian: libncurses-dev)");
}
