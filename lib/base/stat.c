// SPDX-License-Identifier: BSD-3-Clause
// Counters: snapshot, difference and text of an object from its table of rows.
#include "base/stat.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Text that grows past the end of its buffer without being written there.
struct text {
	char *buf;
	size_t size;
	size_t len; // of the whole text
};

static __attribute__((format(printf, 2, 3))) void add(struct text *t, const char *format, ...)
{
	size_t at = t->len < t->size ? t->len : t->size;
	va_list ap;

	va_start(ap, format);
	t->len += (size_t)vsnprintf(at < t->size ? t->buf + at : NULL, t->size - at, format, ap);
	va_end(ap);
}

void stat_snapshot(const struct stat_table *t, const void *obj, uint64_t *out)
{
	for (unsigned i = 0; i < t->n; i++)
		out[i] = stat_get(t, obj, i);
}

void stat_diff(const struct stat_table *t, const uint64_t *now, const uint64_t *then, uint64_t *out)
{
	for (unsigned i = 0; i < t->n; i++)
		out[i] = now[i] - then[i];
}

int stat_find(const struct stat_table *t, const char *name)
{
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->row[i].name, name))
			return (int)i;
	return -1;
}

size_t stat_csv_header(const struct stat_table *t, char *buf, size_t size)
{
	struct text out = {buf, size, 0};

	add(&out, "%s", "");
	for (unsigned i = 0; i < t->n; i++)
		add(&out, "%s%s_%s", i ? "," : "", t->row[i].name, t->row[i].unit);
	return out.len;
}

size_t stat_csv(const struct stat_table *t, const uint64_t *v, char *buf, size_t size)
{
	struct text out = {buf, size, 0};

	add(&out, "%s", "");
	for (unsigned i = 0; i < t->n; i++)
		add(&out, "%s%" PRIu64, i ? "," : "", v[i]);
	return out.len;
}

size_t stat_json(const struct stat_table *t, const uint64_t *v, char *buf, size_t size)
{
	struct text out = {buf, size, 0};

	add(&out, "{");
	for (unsigned i = 0; i < t->n; i++)
		add(&out, "%s\"%s\": %" PRIu64, i ? ", " : "", t->row[i].name, v[i]);
	add(&out, "}");
	return out.len;
}

size_t stat_prometheus(
	const struct stat_table *t, const uint64_t *v, const char *labels, char *buf, size_t size)
{
	struct text out = {buf, size, 0};

	add(&out, "%s", "");
	for (unsigned i = 0; i < t->n; i++)
		add(&out, "quench_%s_%s_%s{%s} %" PRIu64 "\n", t->object, t->row[i].name,
			t->row[i].unit, labels ? labels : "", v[i]);
	return out.len;
}
