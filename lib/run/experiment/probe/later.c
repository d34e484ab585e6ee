// SPDX-License-Identifier: BSD-3-Clause
// Steps that are not there.
#include "int.h"

#define LATER(name)                                                   \
	__attribute__((weak)) int name(struct probe *p, unsigned cls) \
	{                                                             \
		(void)p, (void)cls;                                   \
		return 0;                                             \
	}

__attribute__((weak)) int probe_weights(struct probe *p)
{
	(void)p;
	return 0;
}
