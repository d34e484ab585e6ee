// SPDX-License-Identifier: BSD-3-Clause
// Lines of comma-separated values, and the numbers in them.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

int csv_open(struct csv *c, const char *dir, const char *file, char apart)
{
	struct err err;
	char *path;
	int ret;

	*c = (struct csv){.file = file, .apart = apart};
	if (asprintf(&path, "%s/%s", dir, file) < 0)
		return -ENOMEM;
	ret = infile_check(path, &err);
	if (!ret) {
		c->f = fopen(path, "re");
		ret = c->f ? 0 : -errno;
	}
	free(path);
	return ret;
}

void csv_close(struct csv *c)
{
	if (c->f)
		fclose(c->f);
	free(c->line);
	*c = (struct csv){0};
}

unsigned csv_split(char *line, char apart, char **cell)
{
	unsigned n = 0;

	for (;;) {
		char *end = strchr(line, apart);

		cell[n++] = line;
		if (!end || n == CSV_COLUMNS)
			return n;
		*end = '\0';
		line = end + 1;
	}
}

enum csv_got csv_next(struct csv *c)
{
	ssize_t got = getline(&c->line, &c->room, c->f);

	if (got < 0)
		return CSV_END;
	c->number++;
	if (c->line[got - 1] != '\n')
		return CSV_CUT;
	c->line[got - 1] = '\0';
	if (strlen(c->line) != (size_t)got - 1)
		c->line[0] = '\0'; // a NUL in it: no cell is what it seems
	c->n = csv_split(c->line, c->apart, c->cell);
	return CSV_ROW;
}

int csv_find(char *const *cell, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(cell[i], name) == 0)
			return (int)i;
	return -1;
}

bool csv_fixed(const char *text, unsigned decimals, uint64_t *value)
{
	uint64_t v = 0;
	unsigned behind = 0;
	bool point = false, any = false;

	for (; *text; text++) {
		if (*text == '.' && !point && any) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || behind == decimals + (point ? 0 : 1))
			return false;
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (uint64_t)(*text - '0'), &v))
			return false;
		behind += point;
		any = true;
	}
	for (; behind < decimals; behind++)
		if (__builtin_mul_overflow(v, 10, &v))
			return false;
	if (any)
		*value = v;
	return any;
}

bool csv_real(const char *text, double *value)
{
	uint64_t v;
	char *end;

	if (!*text) {
		*value = NAN;
		return true;
	}
	if (csv_fixed(text, 6, &v)) {
		*value = (double)v / 1e6;
		return true;
	}
	*value = strtod(text, &end);
	return end != text && !*end && isfinite(*value);
}
