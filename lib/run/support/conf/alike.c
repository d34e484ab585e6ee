// SPDX-License-Identifier: BSD-3-Clause
// Lines by their kinds: the first of each, and how many there are.
#include "alike.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int alike_add(struct alike *a, const char *kind, unsigned line)
{
	for (unsigned i = 0; i < a->n; i++)
		if (!strcmp(a->kind[i].kind, kind)) {
			a->kind[i].n++;
			return 0;
		}
	if (a->n == a->room) {
		unsigned room = a->room ? 2 * a->room : 8;
		struct alike_kind *more = realloc(a->kind, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		a->kind = more;
		a->room = room;
	}
	a->kind[a->n++] = (struct alike_kind){kind, line, 1};
	return 0;
}

void alike_free(struct alike *a)
{
	free(a->kind);
	*a = (struct alike){0};
}

char *alike_text(const struct alike_kind *k, const char *first, char *buf, size_t size)
{
	if (k->n > 1)
		snprintf(buf, size, "%s (and %u more like it)", first, k->n - 1);
	else
		snprintf(buf, size, "%s", first);
	return buf;
}

char *alike_pattern(const char *fmt, char *buf, size_t size)
{
	size_t n = 0;

	for (const char *c = fmt; *c && n + 1 < size; c++) {
		char put = *c;

		if (c[0] == '%' && c[1] == '%')
			c++;
		else if (c[0] == '%') {
			c += strcspn(c, "diouxXeEfFgGaAcspn");
			c -= !*c;
			put = '*';
		}
		if (put != '*' || !n || buf[n - 1] != '*')
			buf[n++] = put;
	}
	buf[n] = 0;
	return buf;
}
