// SPDX-License-Identifier: BSD-3-Clause
// Arrays of pointers that grow by doubling before the run.
#include <stdlib.h>

#include "qp.h"

bool nic_room(void *array, unsigned n)
{
	void **all = *(void ***)array;

	if (n & (n - 1))
		return true;
	all = realloc(all, (n ? 2ul * n : 1) * sizeof(*all));
	if (all)
		*(void ***)array = all;
	return all;
}
