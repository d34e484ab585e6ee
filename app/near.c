// SPDX-License-Identifier: BSD-3-Clause
// The name that comes nearest to one that was mistyped.
#include "near.h"

#include <stdio.h>
#include <string.h>

#include "conf/conf.h"

// A name that begins with what was typed, or holds it, is further than any mistyped one.
#define HOLDS 100

void near_see(struct near *n, const char *name)
{
	int d = opt_distance(n->wanted, name);
	const char *at;

	if (d < 0 && strlen(n->wanted) > 2 && (at = strstr(name, n->wanted)))
		d = HOLDS * (at == name ? 1 : 2) + (int)(strlen(name) - strlen(n->wanted));
	if (d < 0 || (n->best && d >= n->best))
		return;
	n->best = d ? d : 1;
	snprintf(n->name, sizeof(n->name), "%s", name);
}

const char *near_hint(const struct near *n, const char *otherwise, char *buf, size_t size)
{
	if (!n->best)
		return otherwise;
	snprintf(buf, size, "; did you mean '%s'?", n->name);
	return buf;
}
