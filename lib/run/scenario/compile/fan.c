// SPDX-License-Identifier: BSD-3-Clause
// How many ports of a switch feed a queue by the flows of the scenario, and whether all of these
// are stopped by PFC before the queue comes to Kmin.
#include <errno.h>

#include "int.h"

static unsigned words(const struct draft_node *sw)
{
	return (sw->n_ports + 63) / 64;
}

static uint64_t *row(
	const struct compile_fan *f, const struct draft_node *sw, unsigned queue, unsigned out)
{
	return f->in + ((uint64_t)queue * sw->n_ports + out) * words(sw);
}

int compile_fan_note(struct draft *b, struct compile_fan *f, const struct draft_node *sw,
	unsigned queue, unsigned in, unsigned out)
{
	if (!f->in)
		f->in = draft_get(
			b, (uint64_t)PKT_CLASSES * sw->n_ports * words(sw) * sizeof(*f->in));
	if (!f->in)
		return -ENOMEM;
	row(f, sw, queue, out)[in / 64] |= 1ull << in % 64;
	return 0;
}

// A class with PFC that has the queue; PKT_CLASSES: none.
static unsigned stopped_class(
	const struct sw_params *p, const struct draft_node *sw, unsigned queue)
{
	unsigned cls = 0;

	while (cls < PKT_CLASSES && !(sw->sw->queue_map[cls] == queue && p->set->cls[cls].pfc))
		cls++;
	return cls;
}

// The bytes that the queue holds at most while each of the ports that feed it is at XOFF.
static uint64_t at_xoff(const struct sw_params *p, const uint64_t *in, unsigned pg, unsigned *n_in)
{
	uint64_t sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < p->n_ports; i++)
		n += in[i / 64] >> i % 64 & 1;
	for (unsigned i = 0; i < p->n_ports; i++)
		if (in[i / 64] >> i % 64 & 1)
			sum += hardware_xoff_among(p, i, pg, n);
	*n_in = n;
	return sum;
}

static void warn_queue(struct draft *b, const struct compile_fan *f, const struct draft_node *sw,
	unsigned queue, unsigned cls)
{
	const struct sw_params *p = &b->s->node[sw->index].u.sw;
	char min[32], most[32];

	for (unsigned out = 0; out < sw->n_ports; out++) {
		unsigned n;
		uint64_t sum = at_xoff(p, row(f, sw, queue, out), sw->sw->pg_map[cls], &n);

		if (n < 2 || p->set->cls[queue].red.kmin_bytes <= sum) // of one port warn.c tells
			continue;
		units_format(UNITS_SIZE, p->set->cls[queue].red.kmin_bytes, min, sizeof(min));
		units_format(UNITS_SIZE, sum, most, sizeof(most));
		draft_warn(b, draft_given(&scene_opts_switch, sw->sw, "classes", sw->key),
			"%s class %u: %u ports feed %s by the flows, which are all at XOFF when "
			"its queue has %s, and Kmin is %s: they are paused before they are "
			"marked",
			sw->name, queue, n, b->s->node[sw->index].port[out].name, most, min);
		return;
	}
}

void compile_fan_warn(struct draft *b, const struct compile_fan *f, const struct draft_node *sw)
{
	const struct sw_params *p = &b->s->node[sw->index].u.sw;

	for (unsigned queue = 0; f->in && queue < PKT_CLASSES; queue++) {
		unsigned cls = stopped_class(p, sw, queue);

		if (cls < PKT_CLASSES && p->set->cls[queue].mark != SW_MARK_NONE &&
			p->set->cls[queue].red.kmin_bytes < p->buffer_bytes)
			warn_queue(b, f, sw, queue, cls);
	}
}
