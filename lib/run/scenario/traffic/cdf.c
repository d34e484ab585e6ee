// SPDX-License-Identifier: BSD-3-Clause
// A file with the distribution of message sizes: lines of bytes and percent, cumulative.
#include <errno.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"

#define PERCENT (DIST_ONE / 100)

struct cdf {
	struct lines in;
	SHA2_CTX sha;
	struct dist_point *point; // DIST_MOST of them
	unsigned n;
};

// Reads a percentage in decimal digits exactly up to the 16th decimal; further ones are cut off.
static bool percent_parse(const char *word, uint64_t *share)
{
	uint64_t unit = PERCENT, sum = 0;
	const char *p = word;

	for (; *p >= '0' && *p <= '9'; p++) {
		sum = sum * 10 + (uint64_t)(*p - '0') * unit;
		if (sum > DIST_ONE)
			return false;
	}
	if (p == word)
		return false;
	if (*p == '.' && p[1])
		for (p++; *p >= '0' && *p <= '9'; p++)
			sum += (uint64_t)(*p - '0') * (unit /= 10);
	*share = sum;
	return !*p && sum <= DIST_ONE;
}

static int point_read(struct cdf *c)
{
	const struct dist_point *last = c->n ? &c->point[c->n - 1] : NULL;
	uint64_t bytes, share;

	if (c->in.n != 2) {
		c->in.at.column = 1;
		return yamldoc_err(c->in.err, &c->in.at,
			"%u column%s; a point has bytes and percent, as in 1000 15.5", c->in.n,
			plural(c->in.n));
	}
	if (units_parse(UNITS_SIZE, c->in.word[0], &bytes) || bytes > DIST_VALUE)
		return traffic_lines_wrong(
			&c->in, c->in.word[0], "is no size from 0 to 2147483648 bytes");
	if (!percent_parse(c->in.word[1], &share))
		return traffic_lines_wrong(&c->in, c->in.word[1], "is no percentage from 0 to 100");
	if (last && bytes < last->value)
		return traffic_lines_wrong(
			&c->in, c->in.word[0], "is less than the bytes of the point before");
	if (last && share < last->below)
		return traffic_lines_wrong(
			&c->in, c->in.word[1], "is less than the percentage of the point before");
	if (c->n == DIST_MOST)
		return traffic_lines_wrong(&c->in, c->in.word[0],
			"begins point 4097; a distribution has 4096 at most");
	c->point[c->n++] = (struct dist_point){(uint32_t)bytes, share};
	return 0;
}

// Checks the end of the file.
static int points_check(struct cdf *c)
{
	uint64_t share = c->n ? c->point[c->n - 1].below : 0;

	c->in.at.column = 1;
	if (ferror(c->in.file))
		return yamldoc_err(c->in.err, &c->in.at, "cannot be read: %s", strerror(errno));
	c->in.at.line = c->in.at.line ? c->in.at.line : 1;
	if (!c->n)
		return yamldoc_err(c->in.err, &c->in.at,
			"no points; a distribution has lines of bytes and percent, as in 1000 "
			"15.5");
	if (share != DIST_ONE)
		return yamldoc_err(c->in.err, &c->in.at,
			"the distribution ends at %.10g%%, not at 100%%%s",
			(double)share / (double)PERCENT,
			share == PERCENT ? "; shares of 1 have to be written as percent" : "");
	return 0;
}

static int points_read(struct cdf *c)
{
	char *first;
	int rc = 0;

	SHA256Init(&c->sha);
	while (!rc && (first = traffic_lines_next(&c->in)) != NULL) {
		first[strcspn(first, "#")] = 0;
		traffic_lines_split(&c->in, first);
		rc = point_read(c);
	}
	return rc ? rc : points_check(c);
}

int traffic_cdf_read(struct draft *b, struct scene_sizes *s, const struct yamldoc_node *at)
{
	struct cdf c = {.in = {.err = b->err, .at.where = s->file, .sha = &c.sha}};
	struct dist_point *kept;
	struct err why;
	int rc;

	if (infile_check(s->file, &why))
		return yamldoc_err(b->err, at, "sizes: %s", why.text);
	c.point = draft_scrap(b, DIST_MOST * sizeof(*c.point));
	if (!c.point)
		return -ENOMEM;
	c.in.file = fopen(s->file, "r");
	if (!c.in.file)
		return yamldoc_err(b->err, at, "sizes: %s: %s", s->file, strerror(errno));
	rc = points_read(&c);
	free(c.in.text);
	fclose(c.in.file);
	if (rc)
		return rc;
	SHA256End(&c.sha, s->sha256);
	kept = draft_get(b, c.n * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	memcpy(kept, c.point, c.n * sizeof(*kept));
	return dist_init(&s->dist, kept, c.n);
}
