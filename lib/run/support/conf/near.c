// SPDX-License-Identifier: BSD-3-Clause
// The name that comes nearest to one that is not there.
#include "near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opt.h"

#define HOLDS  100  // a name that begins with the wanted word is further than a mistyped one
#define ROW    1000 // and a name of the same row is further than those
#define DIGITS 9    // of a number of a row

size_t near_number_at(const char *name)
{
	size_t n = strlen(name);

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n;
}

// How far the numbers of two names of one row are apart; -1: they are not of one row.
static long numbers_between(const char *a, const char *b)
{
	size_t n = near_number_at(a);

	if (!n || n != near_number_at(b) || memcmp(a, b, n) != 0 || !a[n] || !b[n] ||
		strlen(a + n) > DIGITS || strlen(b + n) > DIGITS)
		return -1;
	return labs(strtol(a + n, NULL, 10) - strtol(b + n, NULL, 10));
}

// -1: not near.
static long distance(const char *wanted, const char *name)
{
	long d = numbers_between(wanted, name);
	const char *at;

	if (d >= 0)
		return ROW + d;
	d = opt_distance(wanted, name);
	if (d < 0 && strlen(wanted) > 2 && (at = strstr(name, wanted)))
		d = HOLDS * (at == name ? 1 : 2) + (long)(strlen(name) - strlen(wanted));
	return d;
}

void near_see(struct near *n, const char *name)
{
	long d = distance(n->wanted, name);

	if (d < 0 || (*n->name && d >= n->distance))
		return;
	n->distance = d;
	snprintf(n->name, sizeof(n->name), "%s", name);
}

const char *near_hint(const struct near *n, const char *otherwise, char *buf, size_t size)
{
	if (!*n->name)
		return otherwise;
	snprintf(buf, size, "; did you mean '%s'?", n->name);
	return buf;
}
