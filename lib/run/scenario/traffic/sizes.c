// SPDX-License-Identifier: BSD-3-Clause
// The distribution of message sizes that `sizes` says: by name, of a file, one size, or Pareto's.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

#define N(a)       (sizeof(a) / sizeof((a)[0]))
#define PERCENT(n) (DIST_ONE / 10000 * (uint64_t)((n)*100 + 0.5)) // of two decimals

// Flow sizes of web search: Alizadeh et al., Data Center TCP, SIGCOMM 2010, as the evaluation of
// HPCC (Li et al., SIGCOMM 2019) has them.
static const struct dist_point websearch[] = {{0, 0}, {10000, PERCENT(15)}, {20000, PERCENT(20)},
	{30000, PERCENT(30)}, {50000, PERCENT(40)}, {80000, PERCENT(53)}, {200000, PERCENT(60)},
	{1000000, PERCENT(70)}, {2000000, PERCENT(80)}, {5000000, PERCENT(90)},
	{10000000, PERCENT(97)}, {30000000, PERCENT(100)}};

// Flow sizes of a Hadoop cluster: Roy et al., Inside the Social Network's (Datacenter) Network,
// SIGCOMM 2015, as the evaluation of HPCC has them.
static const struct dist_point hadoop[] = {{0, 0}, {100, PERCENT(1)}, {200, PERCENT(2)},
	{300, PERCENT(5)}, {350, PERCENT(15)}, {400, PERCENT(20)}, {500, PERCENT(30)},
	{600, PERCENT(40)}, {700, PERCENT(50)}, {1000, PERCENT(60)}, {2000, PERCENT(67)},
	{7000, PERCENT(70)}, {30000, PERCENT(72)}, {50000, PERCENT(82)}, {80000, PERCENT(87)},
	{120000, PERCENT(90)}, {300000, PERCENT(95)}, {1000000, PERCENT(97.5)},
	{2000000, PERCENT(99)}, {10000000, PERCENT(100)}};

// Message sizes of a distributed storage system: Alibaba 2019, published with HPCC.
static const struct dist_point alistorage[] = {{0, 0}, {4000, PERCENT(22.93)},
	{8000, PERCENT(69.21)}, {16000, PERCENT(80.61)}, {32000, PERCENT(90.47)},
	{64000, PERCENT(93.53)}, {128000, PERCENT(96.77)}, {256000, PERCENT(97.53)},
	{2000000, PERCENT(100)}};

static const struct {
	const char *name;
	const struct dist_point *point;
	unsigned n;
} named[] = {
	{"websearch", websearch, N(websearch)},
	{"hadoop", hadoop, N(hadoop)},
	{"alistorage", alistorage, N(alistorage)},
};

static int pareto_read(struct draft *b, struct scene_sizes *s, const struct yamldoc_node *map)
{
	struct dist_point *point = draft_get(b, DIST_PARETO * sizeof(*point));
	const struct opt_table *t = scene_opts_sizes.row[0].sub;
	struct spec_pareto p = {.min = 0};
	int rc = point ? opt_apply(t, &p, map, b->err) : -ENOMEM;

	if (!rc)
		rc = opt_require(t, &p, map, b->err);
	if (rc)
		return rc;
	if (p.min > p.max)
		return yamldoc_err(b->err, opt_source(t, &p, "min"),
			"pareto: min is above max; let them change places");
	rc = dist_pareto(point, DIST_PARETO, (uint32_t)(p.shape * 1000000 + 0.5), (uint32_t)p.min,
		(uint32_t)p.max);
	return rc < 0 ? rc : dist_init(&s->dist, point, (unsigned)rc);
}

static int unknown(struct draft *b, const struct yamldoc_node *at)
{
	struct near near = near_to(at->type == YAMLDOC_SCALAR ? at->text : "");
	char hint[NEAR_NAME + 32];

	for (unsigned i = 0; i < N(named); i++)
		near_see(&near, named[i].name);
	return yamldoc_err(b->err, at, "sizes: '%.60s' is no distribution%s",
		at->type == YAMLDOC_SCALAR ? at->text
		: at->type == YAMLDOC_LIST ? "[..]"
					   : "{..}",
		near_hint(&near,
			"; write websearch, hadoop, alistorage, a file NAME.cdf, a size as in "
			"64KB, or {pareto: {shape: 1.05, min: 1KB, max: 10MB}}",
			hint, sizeof(hint)));
}

static int size_read(struct draft *b, struct scene_sizes *s, const struct yamldoc_node *at)
{
	struct dist_point *point = draft_get(b, sizeof(*point));
	uint64_t bytes;

	if (!point)
		return -ENOMEM;
	if (units_parse(UNITS_SIZE, at->text, &bytes) || !bytes || bytes > DIST_VALUE)
		return yamldoc_err(b->err, at,
			"sizes: '%.60s' is no size from 1B to 2GiB, as in 64KB", at->text);
	*point = (struct dist_point){(uint32_t)bytes, DIST_ONE};
	return dist_init(&s->dist, point, 1);
}

static bool is_file(const char *word)
{
	size_t n = strlen(word);

	return n > 4 && strcmp(word + n - 4, ".cdf") == 0;
}

// Reads a file, once for all flows that name it.
static int file_read(struct draft *b, struct scene_sizes *s, const struct yamldoc_node *at)
{
	char *path = hardware_object_file(b, at->text);

	if (!path)
		return -ENOMEM;
	s->file = strncmp(path, "./", 2) ? path : path + 2;
	for (unsigned i = 0; i < b->s->n_sizes; i++)
		if (b->s->sizes[i]->file && !strcmp(b->s->sizes[i]->file, s->file)) {
			s->dist = b->s->sizes[i]->dist;
			s->file = NULL;
			return 0;
		}
	return traffic_cdf_read(b, s, at);
}

static int sizes_read(struct draft *b, struct scene_sizes *s, const struct yamldoc_node *at)
{
	const struct yamldoc_node *pareto = NULL;

	if (at->type == YAMLDOC_MAP && at->n == 1)
		pareto = yamldoc_get(at, "pareto");
	if (pareto && pareto->type == YAMLDOC_MAP)
		return pareto_read(b, s, pareto);
	if (at->type != YAMLDOC_SCALAR || yamldoc_is_null(at))
		return unknown(b, at);
	if (is_file(at->text))
		return file_read(b, s, at);
	for (unsigned i = 0; i < N(named); i++)
		if (!strcmp(named[i].name, at->text))
			return dist_init(&s->dist, named[i].point, named[i].n);
	return strspn(at->text, "+-.0123456789") ? size_read(b, s, at) : unknown(b, at);
}

int traffic_sizes(struct draft *b, const struct yamldoc_node *value, const struct dist **to)
{
	struct scene_sizes *s = draft_get(b, sizeof(*s));
	void **place;
	int rc = s ? sizes_read(b, s, value) : -ENOMEM;

	if (rc)
		return rc;
	place = draft_push(b, &b->s->sizes, &b->s->n_sizes);
	if (!place)
		return -ENOMEM;
	*place = s;
	*to = &s->dist;
	return 0;
}
