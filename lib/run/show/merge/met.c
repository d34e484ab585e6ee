// SPDX-License-Identifier: BSD-3-Clause
// Whether the folders are of one run: by the processes that their parts met, or else by when they
// ran.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "int.h"

static const json_t *here(const struct part *p)
{
	return json_object_get(p->manifest, "here");
}

// Each part knows its neighbours' processes by number; 0: it asked nobody (--start now).
static json_int_t process(const struct part *p)
{
	return json_integer_value(json_object_get(here(p), "process"));
}

void met_when(const struct part *a, const struct part *b, char *text, size_t size)
{
	const char *x = saved_text(here(a), "started"), *y = saved_text(here(b), "started");

	*text = 0;
	if (*x && *y)
		snprintf(text, size, " (begun %.19sZ and %.19sZ)", x, y);
}

static int met_another(
	const struct part *a, const char *port, const struct part *b, struct err *err)
{
	char when[MET_WHEN];

	met_when(a, b, when, sizeof(when));
	return err_set(err, -EINVAL,
		"%s and %s are of different runs%s: the process that %s met at port %s is not that "
		"of %s; give the folders of one run",
		a->dir, b->dir, when, a->name, port, b->name);
}

int met_check(const struct merge *m, struct err *err)
{
	for (unsigned i = 0; i < m->n; i++) {
		const json_t *peers = json_object_get(here(&m->part[i]), "peers"), *number;
		const char *port;

		json_object_foreach((json_t *)peers, port, number)
		{
			unsigned far = cut_owner(m, port, true);

			if (far < m->n && json_integer_value(number) != process(&m->part[far]))
				return met_another(&m->part[i], port, &m->part[far], err);
		}
	}
	return 0;
}

// Since 1970, by the machine's clock; NAN: the folder does not say.
static double began_s(const struct part *p)
{
	struct tm tm = {0};
	double part_s = 0;
	const char *rest = strptime(saved_text(here(p), "started"), "%Y-%m-%dT%H:%M:%S", &tm);

	if (!rest)
		return NAN;
	sscanf(rest, "%lf", &part_s);
	return (double)timegm(&tm) + part_s;
}

void met_doubts(const struct merge *m, FILE *f)
{
	for (unsigned i = 0; i < m->n; i++)
		for (unsigned k = 0; k < m->n; k++) {
			const struct part *a = &m->part[i], *b = &m->part[k];
			double gap_s = began_s(b) - began_s(a) - saved_number(here(a), "wall_s");

			if (gap_s > 0 && !process(a) && !process(b))
				fprintf(f,
					"doubt    %s: it began %.1f s after %s had ended, by their "
					"machines' clocks; is one of them of another run?\n",
					b->name, gap_s, a->name);
		}
}
