// SPDX-License-Identifier: BSD-3-Clause
// Numbers and texts of a page's data, and memory for figures.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "int.h"

void *plate_room(struct plate *p, size_t n, size_t size)
{
	void *room = arena_get(&p->arena, (n + 1) * size);

	if (!room && !p->rc)
		p->rc = err_set(p->err, -ENOMEM, "%s: no memory for the figures", p->dir);
	return room;
}

const char *plate_format(struct plate *p, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	char *to;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	to = plate_room(p, strlen(text), 1);
	return to ? strcpy(to, text) : "";
}

double *plate_numbers(struct plate *p, const json_t *object, const char *key, size_t *n)
{
	const json_t *list = json_object_get(object, key);
	size_t len = json_array_size(list);
	double *to;

	if (!json_is_array(list))
		return NULL;
	*n = len < *n ? len : *n;
	to = PLATE_ROOM(p, *n, double);
	for (size_t i = 0; to && i < *n; i++) {
		const json_t *v = json_array_get(list, i);

		to[i] = json_is_number(v) ? json_number_value(v) : NAN;
	}
	return to;
}
