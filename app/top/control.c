// SPDX-License-Identifier: BSD-3-Clause
// A command to the instance, as `quench do` and `quench set` give it.
#include "control.h"

#include <stdio.h>

bool top_control(struct instance *of, const char *verb, const char *text, char *told, size_t size)
{
	snprintf(told, size, "instance %s takes no commands: quench %s %s", of->name, verb, text);
	return false;
}
