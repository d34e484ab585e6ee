// SPDX-License-Identifier: BSD-3-Clause
// All points of a figure as CSV, with the differences between sets.
#include <math.h>
#include <string.h>

#include "int.h"

static void put_value(struct out *to, double v)
{
	if (isfinite(v))
		out_printf(to, ",%.9g", v);
	else
		out_str(to, ",");
}

// The names of both values, with their units.
static void put_columns(const struct overlay *o, struct out *to)
{
	bool slowdown = strcmp(o->want.of, "slowdown") == 0;
	char key[32];

	switch (o->want.figure) {
	case OVERLAY_SLOWDOWN:
		overlay_percentile(key, o->want.percentile);
		out_printf(to, "to_bytes,%s", key);
		break;
	case OVERLAY_CDF:
		out_printf(to, "%s%s,share", o->want.of, slowdown ? "" : "_us");
		break;
	case OVERLAY_QUEUE:
		out_str(to, "time_us,length_bytes");
		break;
	case OVERLAY_GOODPUT:
		out_str(to, "time_us,goodput_gbps");
		break;
	case OVERLAY_PAUSES:
		out_str(to, "port,paused_percent");
		break;
	}
}

static void put_point(const struct overlay *o, const struct overlay_set *set,
	const struct overlay_point *p, struct out *to)
{
	out_field(to, set->name);
	if (p->name) {
		out_str(to, ",");
		out_field(to, p->name);
	} else {
		put_value(to, p->x);
	}
	put_value(to, p->y);
	put_value(to, p->half);
	out_printf(to, ",%u,", p->n);
	if (p->pairs) {
		out_field(to, o->set[set->base].name);
		put_value(to, p->less);
		put_value(to, p->less_half);
		out_printf(to, ",%u\n", p->pairs);
	} else {
		out_str(to, ",,,\n");
	}
}

void overlay_csv(const struct overlay *o, struct out *to)
{
	out_str(to, "line,");
	put_columns(o, to);
	out_str(to, ",ci95,runs,less,difference,difference_ci95,pairs\n");
	for (unsigned k = 0; k < o->n_sets; k++)
		for (size_t i = 0; i < o->set[k].curve.n; i++)
			put_point(o, &o->set[k], &o->set[k].curve.point[i], to);
}
