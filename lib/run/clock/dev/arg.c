// SPDX-License-Identifier: BSD-3-Clause
// Words of a device string, found by their key.
#include "arg.h"

#include <stdio.h>
#include <string.h>

bool dev_arg(const char *device, const char *key, char *value, size_t size)
{
	for (const char *s = strchr(device, ','); s; s = strchr(s, ',')) {
		size_t n = strlen(key);

		s++;
		if (strncmp(s, key, n) != 0 || s[n] != '=')
			continue;
		snprintf(value, size, "%.*s", (int)strcspn(s + n + 1, ","), s + n + 1);
		return true;
	}
	return false;
}
