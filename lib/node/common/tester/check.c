// SPDX-License-Identifier: BSD-3-Clause
// The check of a tester's list of items.
#include "tester.h"

#include <errno.h>

#include "wire/pfc.h"

static bool is_endless(const struct tester_item *i)
{
	return i->kind == TESTER_HOLD || (i->kind != TESTER_RELEASE && !i->count);
}

static bool is_right(const struct tester_item *item, unsigned k, unsigned ports)
{
	const struct tester_item *i = &item[k];

	if (i->after != TESTER_AT_START &&
		(i->after < 0 || (unsigned)i->after >= k || is_endless(&item[i->after])))
		return false;
	if (i->kind == TESTER_RELEASE)
		return i->pfc.enable || i->opcode == MACCTL_PAUSE;
	if (i->len < PKT_MIN_LEN || i->len > PKT_MAX_LEN)
		return false;
	if (i->kind == TESTER_HOLD)
		return i->gap && (i->opcode == MACCTL_PFC || i->opcode == MACCTL_PAUSE);
	return i->kind == TESTER_MAC || (i->to < ports && i->pcp <= TESTER_UNTAGGED);
}

int tester_check(const struct tester_item *item, unsigned n, unsigned ports)
{
	if (n > TESTER_ITEMS)
		return -EINVAL;
	for (unsigned k = 0; k < n; k++)
		if (!is_right(item, k, ports))
			return -EINVAL;
	return 0;
}
