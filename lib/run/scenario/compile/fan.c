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

static unsigned count_ports(const struct draft_node *sw, const uint64_t *in)
{
	unsigned n = 0;

	for (unsigned i = 0; i < words(sw); i++)
		n += (unsigned)__builtin_popcountll(in[i]);
	return n;
}

static bool feeds(const uint64_t *in, unsigned port)
{
	return in[port / 64] >> port % 64 & 1;
}

// Returns a class of the queue for which each port that feeds it sends PFC; PKT_CLASSES: none.
static unsigned stopped_class(const struct sw_params *p, const struct sw_set_params *out,
	unsigned queue, const uint64_t *in)
{
	for (unsigned cls = 0; cls < PKT_CLASSES; cls++) {
		bool stops = out->queue_map[cls] == queue;

		for (unsigned i = 0; stops && i < p->n_ports; i++)
			stops = !feeds(in, i) || sw_port_set(p, i)->cls[cls].pfc;
		if (stops)
			return cls;
	}
	return PKT_CLASSES;
}

// The bytes that the queue holds at most while each of the n ports that feed it is at XOFF.
static uint64_t at_xoff(const struct scene_node *node, const uint64_t *in, unsigned cls, unsigned n)
{
	const struct sw_params *p = &node->u.sw;
	uint64_t sum = 0;

	for (unsigned i = 0; i < p->n_ports; i++)
		if (feeds(in, i))
			sum += hardware_xoff_among(node, i, sw_port_set(p, i)->pg_map[cls], n);
	return sum;
}

// Warns of the queue of a port. Returns whether it did.
static bool warn_queue(struct draft *b, const struct compile_fan *f, const struct draft_node *sw,
	unsigned queue, unsigned out)
{
	const struct sw_params *p = &b->s->node[sw->index].u.sw;
	const struct sw_set_params *set = sw_port_set(p, out);
	const struct sw_class_params *c = &set->cls[queue];
	const uint64_t *in = row(f, sw, queue, out);
	unsigned n = count_ports(sw, in), cls;
	char min[32], most[32];
	uint64_t sum;

	// The warning of one port is in warn.c.
	if (n < 2 || c->mark == SW_MARK_NONE || c->red.kmin_bytes >= p->buffer_bytes)
		return false;
	cls = stopped_class(p, set, queue, in);
	sum = cls < PKT_CLASSES ? at_xoff(&b->s->node[sw->index], in, cls, n) : UINT64_MAX;
	if (c->red.kmin_bytes <= sum)
		return false;
	units_format(UNITS_SIZE, c->red.kmin_bytes, min, sizeof(min));
	units_format(UNITS_SIZE, sum, most, sizeof(most));
	draft_warn(b, draft_given(&scene_opts_switch, sw->sw, "classes", sw->key),
		"%s class %u: %u ports feed %s by the flows, which are all at XOFF when "
		"its queue has %s, and Kmin is %s: they are paused before they are marked",
		sw->name, queue, n, b->s->node[sw->index].port[out].name, most, min);
	return true;
}

void compile_fan_warn(struct draft *b, const struct compile_fan *f, const struct draft_node *sw)
{
	for (unsigned queue = 0; f->in && queue < PKT_CLASSES; queue++)
		for (unsigned out = 0; out < sw->n_ports; out++)
			if (warn_queue(b, f, sw, queue, out))
				break;
}
