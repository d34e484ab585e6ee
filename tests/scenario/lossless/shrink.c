// SPDX-License-Identifier: BSD-3-Clause
// A failing case of the lossless property made small: parts are taken away and values made plain
// while it fails alike.
#include "lossless.h"

#include <string.h>

// One that is smaller, or false where this step has nothing to take.
typedef bool step(struct ll_case *c, unsigned i);

static void cut(void *list, unsigned *n, size_t size, unsigned i)
{
	char *at = (char *)list + i * size;

	memmove(at, at + size, (*n - i - 1) * size);
	--*n;
}

static bool drop_flow(struct ll_case *c, unsigned i)
{
	if (i >= c->n_flows || c->n_flows == 1)
		return false;
	cut(c->flow, &c->n_flows, sizeof(c->flow[0]), i);
	return true;
}

static bool drop_storm(struct ll_case *c, unsigned i)
{
	if (i >= c->n_storms)
		return false;
	cut(c->storm, &c->n_storms, sizeof(c->storm[0]), i);
	return true;
}

static bool drop_cut(struct ll_case *c, unsigned i)
{
	if (i >= c->n_cuts)
		return false;
	cut(c->cut, &c->n_cuts, sizeof(c->cut[0]), i);
	return true;
}

// A host that nothing comes from or goes to.
static bool drop_host(struct ll_case *c, unsigned i)
{
	if (i >= c->n_hosts)
		return false;
	for (unsigned k = 0; k < c->n_flows; k++)
		if (c->flow[k].from == i || c->flow[k].to == i)
			return false;
	for (unsigned k = 0; k < c->n_storms; k++)
		if (c->storm[k].host == i)
			return false;
	for (unsigned k = 0; k < c->n_cuts; k++)
		if (c->cut[k].host == i)
			return false;
	cut(c->host, &c->n_hosts, sizeof(c->host[0]), i);
	for (unsigned k = 0; k < c->n_cuts; k++)
		c->cut[k].host -= c->cut[k].host > i;
	for (unsigned k = 0; k < c->n_flows; k++) {
		c->flow[k].from -= c->flow[k].from > i;
		c->flow[k].to -= c->flow[k].to > i;
	}
	for (unsigned k = 0; k < c->n_storms; k++)
		c->storm[k].host -= c->storm[k].host > i;
	return true;
}

static bool drop_class(struct ll_case *c, unsigned i)
{
	if (i >= c->n_classes || c->n_classes == 1)
		return false;
	for (unsigned k = 0; k < c->n_flows; k++)
		if (c->flow[k].cls == i)
			return false;
	for (unsigned k = 0; k < c->n_storms; k++)
		if (c->storm[k].cls == i)
			return false;
	for (unsigned k = 0; k < c->n_classes; k++)
		if (k != i && c->cls[k].group == i)
			return false;
	cut(c->cls, &c->n_classes, sizeof(c->cls[0]), i);
	for (unsigned k = 0; k < c->n_classes; k++)
		c->cls[k].group -= c->cls[k].group > i;
	for (unsigned k = 0; k < c->n_flows; k++)
		c->flow[k].cls -= c->flow[k].cls > i;
	for (unsigned k = 0; k < c->n_storms; k++)
		c->storm[k].cls -= c->storm[k].cls > i;
	return true;
}

// One class for two flows.
static bool join_classes(struct ll_case *c, unsigned i)
{
	if (i >= c->n_flows * c->n_classes || c->flow[i / c->n_classes].cls == i % c->n_classes)
		return false;
	c->flow[i / c->n_classes].cls = (uint8_t)(i % c->n_classes);
	return drop_class(c, 0) || drop_class(c, 1) || drop_class(c, 2);
}

static uint8_t moved(unsigned sw, unsigned from, unsigned to)
{
	if (sw == from)
		sw = to;
	return (uint8_t)(sw - (sw > from));
}

// Two switches become one: what was at the second end of a trunk is at its first.
static bool join_switches(struct ll_case *c, unsigned i)
{
	if (i >= c->n_trunks)
		return false;

	unsigned to = c->trunk[i].a, from = c->trunk[i].b;

	for (unsigned k = 0; k < c->n_hosts; k++)
		c->host[k].sw = moved(c->host[k].sw, from, to);
	for (unsigned k = c->n_trunks; k-- > 0;) {
		struct ll_trunk *t = &c->trunk[k];
		bool again = false;

		t->a = moved(t->a, from, to);
		t->b = moved(t->b, from, to);
		for (unsigned j = k + 1; j < c->n_trunks; j++)
			again |= (c->trunk[j].a == t->a && c->trunk[j].b == t->b) ||
				 (c->trunk[j].a == t->b && c->trunk[j].b == t->a);
		if (t->a == t->b || again)
			cut(c->trunk, &c->n_trunks, sizeof(*t), k);
	}
	cut(c->sw, &c->n_switches, sizeof(c->sw[0]), from);
	return true;
}

// SONiC's formula needs cells.
static bool needs_cells(const struct ll_case *c)
{
	for (unsigned i = 0; i < c->n_classes; i++)
		if (c->cls[i].sonic)
			return true;
	return false;
}

static bool plain_switch(struct ll_case *c, unsigned i)
{
	struct ll_switch *s, was;

	if (i / 6 >= c->n_switches)
		return false;
	s = &c->sw[i / 6];
	was = *s;
	if (i % 6 == 0)
		s->cell = needs_cells(c) ? s->cell : 1;
	else if (i % 6 == 1)
		s->pool = false;
	else if (i % 6 == 2)
		s->honour = s->alert = false;
	else if (i % 6 == 3)
		s->latency_ns = 0;
	else if (i % 6 == 4)
		s->response = 0;
	else
		s->shards = 0;
	return memcmp(s, &was, sizeof(was));
}

static bool plain_host(struct ll_case *c, unsigned i)
{
	struct ll_host *h, was;

	if (i / 5 >= c->n_hosts)
		return false;
	h = &c->host[i / 5];
	was = *h;
	if (i % 5 == 0)
		h->latency_ns = 0;
	else if (i % 5 == 1)
		h->response = 0;
	else if (i % 5 == 2)
		h->drain_percent = 100, h->xoff = 0;
	else if (i % 5 == 3)
		h->rate = 100;
	else
		h->delay_ns = 1000;
	return memcmp(h, &was, sizeof(was));
}

static bool plain_class(struct ll_case *c, unsigned i)
{
	struct ll_class *k, was;

	if (i / 6 >= c->n_classes)
		return false;
	k = &c->cls[i / 6];
	was = *k;
	if (i % 6 == 0)
		k->marked = k->early = k->qcn = k->iqcn = k->fast_cnp = k->ce_too = false;
	else if (i % 6 == 1)
		k->sonic = false, k->group = (uint8_t)(i / 6);
	else if (i % 6 == 2)
		k->quanta = 65535, k->refresh = 50;
	else if (i % 6 == 3)
		k->weight = 1, k->reserved = 0, k->strict = false, k->max_percent = 100;
	else if (i % 6 == 4 && k->dynamic)
		k->dynamic = false, k->xoff = 50000, k->xon_offset = 3000;
	else if (c->n_classes == 1)
		k->cls = 3;
	return memcmp(k, &was, sizeof(was));
}

static bool plain_flow(struct ll_case *c, unsigned i)
{
	struct ll_flow *f, was;

	if (i / 5 >= c->n_flows)
		return false;
	f = &c->flow[i / 5];
	was = *f;
	if (i % 5 == 0)
		f->controlled = false, f->start_us = 0, f->count = c->rto_us ? 1 : 0;
	else if (i % 5 == 1)
		f->qps = 1, f->ack_every = 16, f->outstanding = 4, f->window = 1000;
	else if (i % 5 == 2)
		f->open = false;
	else if (i % 5 == 3 && f->open)
		f->low = f->high, f->percent = 100, f->burst = 1;
	else if (!f->open)
		f->mtu = 1024, f->message = 32000;
	return memcmp(f, &was, sizeof(was));
}

static bool half(uint32_t *v, uint32_t least)
{
	uint32_t was = *v;

	*v = was / 2 < least ? least : was / 2;
	return *v < was;
}

static bool less_time(struct ll_case *c, unsigned i)
{
	return i < 1 && half(&c->duration_us, 1);
}

static bool less_buffer(struct ll_case *c, unsigned i)
{
	return i < c->n_switches && half(&c->sw[i].shared, 20000);
}

static bool less_xoff(struct ll_case *c, unsigned i)
{
	// If there is no PFC, xoff is a limit, which must be at least a longest frame.
	if (i >= c->n_classes || !half(&c->cls[i].xoff, c->rto_us ? 10000 : 2000))
		return false;
	if (c->cls[i].xon_offset > c->cls[i].xoff)
		c->cls[i].xon_offset = c->cls[i].xoff;
	return true;
}

static bool less_cable(struct ll_case *c, unsigned i)
{
	return i < c->n_trunks && half(&c->trunk[i].delay_ns, 10);
}

static bool less_message(struct ll_case *c, unsigned i)
{
	return i < c->n_flows && half(&c->flow[i].message, 1024);
}

// The steps that take most away come first.
static step *const steps[] = {join_switches, drop_flow, drop_storm, drop_cut, drop_host, drop_class,
	join_classes, plain_switch, plain_flow, plain_class, plain_host, less_time, less_buffer,
	less_xoff, less_cable, less_message};

#define MOST_STEPS (6 * LL_HOSTS) // parts that a step may have: features of hosts

void ll_shrink(struct ll_case *c, struct ll_verdict *v, ll_judge_fn *judge, unsigned runs)
{
	bool smaller = true;

	while (smaller) {
		smaller = false;
		for (unsigned s = 0; s < sizeof(steps) / sizeof(steps[0]); s++)
			for (unsigned i = 0; i < MOST_STEPS; i++) {
				struct ll_case less = *c;
				struct ll_verdict w;

				if (!steps[s](&less, i))
					continue;
				if (!runs--)
					return;
				w = judge(&less);
				if (w.fault != v->fault)
					continue;
				*c = less;
				*v = w;
				smaller = true;
				// the next part has this place now, or the value can be halved
				// again
				i--;
			}
	}
}
