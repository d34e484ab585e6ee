// SPDX-License-Identifier: BSD-3-Clause
// The switch and the testers of unit tests, event by event.
#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "device_inside.h"
#include "wire/pfc.h"

static bool is_before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void device_event(struct device *d, struct event e)
{
	unsigned i;

	if (d->n == d->space) {
		d->space = d->space ? 2 * d->space : 1024;
		d->heap = realloc(d->heap, d->space * sizeof(*d->heap));
	}
	e.order = ++d->order;
	for (i = d->n++; i && is_before(&e, &d->heap[(i - 1) / 2]); i = (i - 1) / 2)
		d->heap[i] = d->heap[(i - 1) / 2];
	d->heap[i] = e;
}

static struct event event_take(struct device *d)
{
	struct event first = d->heap[0], last = d->heap[--d->n];
	unsigned i = 0, k;

	while ((k = 2 * i + 1) < d->n) {
		if (k + 1 < d->n && is_before(&d->heap[k + 1], &d->heap[k]))
			k++;
		if (!is_before(&d->heap[k], &last))
			break;
		d->heap[i] = d->heap[k];
		i = k;
	}
	d->heap[i] = last;
	return first;
}

// The instant at which our loop sees a frame that came at t.
tstamp device_turn_at(struct device *d, tstamp t)
{
	uint32_t lo = 0, hi;

	if (!d->p.gap)
		return t;
	while (!d->turns || d->turn[d->turns - 1] < t) {
		tstamp gap = d->p.gap / 2 + prng_below(&d->rng, d->p.gap);

		if (d->turns == d->turn_space) {
			d->turn_space = d->turn_space ? 2 * d->turn_space : 1024;
			d->turn = realloc(d->turn, d->turn_space * sizeof(*d->turn));
		}
		if (!prng_below(&d->rng, 1000))
			gap *= 20;
		d->turn[d->turns] = (d->turns ? d->turn[d->turns - 1] : 0) + gap;
		d->turns++;
	}
	for (hi = d->turns - 1; lo < hi;) {
		uint32_t mid = (lo + hi) / 2;

		if (d->turn[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return d->turn[lo];
}

static void forward(struct device *d, unsigned in, struct parcel *f)
{
	unsigned cells = (f->len + PKT_FCS + d->p.cell - 1) / d->p.cell;

	f->cls = d->p.cls[f->tos >> 2];
	if (d->p.trusts_pcp)
		f->cls = f->pcp < TESTER_UNTAGGED ? d->p.of_pcp[f->pcp] : 0;
	f->cost = cells * d->p.cell;
	if (d->p.silent) {
		free(f);
		return;
	}
	d->unlearnt &= (uint8_t) ~(1u << in);
	for (unsigned k = 0; (d->p.floods || d->unlearnt >> f->to & 1) && k < d->p.ports; k++)
		if (k != in && k != f->to) {
			struct parcel *copy = malloc(sizeof(*copy));

			*copy = *f;
			copy->cost = 0;
			device_enqueue(d, k, copy);
		}
	device_enqueue(d, f->to, f);
}

// A MAC control frame of a tester.
static void obey(struct device *d, unsigned port, const struct parcel *f)
{
	static const uint8_t usual[6] = {1, 0x80, 0xc2, 0, 0, 1}, none[6];
	const struct pkt_pfc *pfc = &f->control.pfc;
	bool pause = f->control.opcode == MACCTL_PAUSE && d->p.obeys_pause;

	if ((memcmp(f->control.dst, none, 6) && memcmp(f->control.dst, usual, 6)) ||
		(f->control.opcode != MACCTL_PFC && !pause))
		return;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		unsigned quanta = pfc->quanta[pause ? 0 : c];
		tstamp at = d->now + (quanta ? d->p.response : d->p.resume);

		if (pause || (pfc->enable & (d->p.away & 1 ? 0 : d->p.obeys)) >> c & 1)
			device_event(
				d, (struct event){.at = at,
					   .kind = quanta ? PAUSE : RESUME,
					   .port = port,
					   .cls = c,
					   .arg = at + quanta * d->quantum *
							       (d->p.longer ? d->p.longer : 1)});
	}
}

static void arrive(struct device *d, unsigned port, struct parcel *f)
{
	if (f->kind == TESTER_OURS) {
		forward(d, port, f);
		return;
	}
	obey(d, port, f);
	free(f);
}

// A pause of an egress begins, unless an XON came behind it.
static void pause_begins(struct device *d, const struct event *v)
{
	struct egress *e = &d->egress[v->port];

	if (v->order < e->let[v->cls])
		return;
	if (e->until[v->cls] <= d->now)
		e->since[v->cls] = d->now;
	e->until[v->cls] = v->arg;
	device_kick(d, v->port, v->arg);
}

static void talk(struct device *d)
{
	struct parcel *f = calloc(1, sizeof(*f));

	if (d->p.others > 0) {
		f->kind = TESTER_OTHER;
		f->len = 252;
		f->pcp = TESTER_UNTAGGED;
		f->cls = d->p.cls[0];
		device_event(d,
			(struct event){.at = d->now +
					     (tstamp)((double)device_wire(d, f->len) / d->p.others),
				.kind = TALK});
		device_enqueue(d, 2, f);
		return;
	}
	free(f);
	device_event(d, (struct event){.at = d->now + PS_PER_MS, .kind = TALK});
}

// Whether the device itself does nothing now.
static bool is_hanging(struct device *d, enum event_kind kind)
{
	if (!d->p.hang || kind == SEND || kind == DELIVER || kind == TALK)
		return false;
	while (d->now >= d->hang_until) {
		d->hang_from = d->hang_until + d->p.between / 2 + prng_below(&d->rng, d->p.between);
		d->hang_until = d->hang_from + d->p.hang;
	}
	return d->now >= d->hang_from;
}

static void handle(struct device *d, struct event *v)
{
	struct egress *e = &d->egress[v->port];

	if (is_hanging(d, v->kind)) {
		v->at = d->hang_until;
		device_event(d, *v);
		return;
	}
	switch (v->kind) {
	case SEND:
		device_tester_send(d, v->port);
		break;
	case ARRIVE:
		if (!device_loses(d, v->port, v->f))
			arrive(d, v->port, v->f);
		break;
	case EGRESS:
		device_egress_send(d, v->port);
		break;
	case DELIVER:
		if (!device_loses(d, v->port, v->f))
			device_tester_gets(d, v->port, v->f);
		break;
	case PAUSE:
		pause_begins(d, v);
		break;
	case RESUME:
		e->let[v->cls] = v->order;
		e->until[v->cls] = tstamp_min(e->until[v->cls], d->now);
		device_kick(d, v->port, d->now);
		break;
	case REFRESH:
		if (d->group[v->port][v->cls].off && d->group[v->port][v->cls].xoffs == v->arg)
			device_tell_xoff(d, v->port, v->cls);
		break;
	case POLL:
		device_watchdog_poll(d);
		break;
	case TALK:
		talk(d);
		break;
	case RESTART:
		device_forget(d);
		for (unsigned p = 0; p < d->p.ports; p++)
			d->gone[p] = v->arg;
		break;
	case CUT:
		device_lose_link(d, v->port, v->arg);
		break;
	}
}

static void sight_fill(struct device *d, struct lab_sight *sight)
{
	*sight = (struct lab_sight){.took = d->now - d->start, .kept = 1, .down = d->down};
	for (unsigned p = 0; p < d->p.ports; p++)
		sight->port[p] = (struct lab_seen){d->tester[p].seen, d->tester[p].n_seen,
			d->tester[p].control, d->tester[p].n_control};
	for (uint32_t k = 1; k < d->turns; k++)
		if (d->turn[k] > d->start && d->turn[k - 1] < d->now)
			sight->gap_longest =
				tstamp_max(sight->gap_longest, d->turn[k] - d->turn[k - 1]);
	sight->gap = d->p.gap + d->p.gap / 2;
	d->p.away >>= 1;
	if (d->p.bad) {
		d->p.bad--;
		sight->lost = 1;
	}
}

// Lets time pass until all links are up.
static void await_links(struct device *d)
{
	while (d->link_up > d->now && d->n && d->heap[0].at <= d->link_up) {
		struct event v = event_take(d);

		d->now = v.at;
		handle(d, &v);
	}
	d->now = tstamp_max(d->now, d->link_up);
	d->down = false;
}

static int device_step(
	struct lab *lab, const struct lab_step *step, struct lab_sight *sight, struct err *err)
{
	struct device *d = (struct device *)lab;
	tstamp end = TSTAMP_NEVER, cut;

	(void)err;
	await_links(d);
	d->start = d->now;
	d->ps = rate_byte_ps(d->p.rate);
	cut = step->longest ? d->now + step->longest : d->now + 10 * PS_PER_S;
	device_lists_begin(d, step);
	if (d->p.varies)
		d->shift = ((int64_t)prng_below(&d->rng, 2 * d->p.varies + 1) - d->p.varies) *
			   (int64_t)(d->p.cell > 64 ? d->p.cell : 64);
	for (;;) {
		if (end == TSTAMP_NEVER && device_lists_end(d) != TSTAMP_NEVER)
			end = device_lists_end(d) + step->tail;
		if (!d->n || d->heap[0].at > tstamp_min(end, cut))
			break;
		struct event v = event_take(d);

		d->now = v.at;
		handle(d, &v);
		if (d->down)
			cut = d->now;
	}
	d->now = tstamp_min(end, cut);
	for (unsigned p = 0; p < d->p.ports; p++)
		d->tester[p].n = 0;
	sight_fill(d, sight);
	sight->cut = !d->down && cut < end;
	return 0;
}

struct device_params device_usual(void)
{
	struct device_params p = {.rate = 100 * RATE_GBPS,
		.ports = 4,
		.cable = 100 * PS_PER_NS,
		.forward = 500 * PS_PER_NS,
		.response = PS_PER_US,
		.obeys = 0x18,
		.lossless = 0x18,
		.cell = 1,
		.buffer = 4000000,
		.xoff = 100000,
		.hyst = 4096,
		.headroom = 60000,
		.quanta = 65535,
		.refresh = .5,
		.tail = 500000,
		.seed = 1};

	for (unsigned k = 0; k < 64; k++)
		p.cls[k] = (uint8_t)(k / 8);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		p.weight[c] = 1;
	return p;
}

struct device *device_new(const struct device_params *params)
{
	struct device *d = calloc(1, sizeof(*d));

	static const char *const name[PORTS] = {"p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"};

	d->p = *params;
	d->ps = rate_byte_ps(params->rate);
	d->quantum = 512 * PS_PER_S / params->rate;
	prng_init(&d->rng, params->seed, "device");
	d->lab.ports = params->ports;
	d->lab.step = device_step;
	d->lab.gap = params->gap + params->gap / 2;
	for (unsigned k = 0; k < params->ports; k++)
		d->lab.port[k] = (struct lab_port){.name = name[k],
			.mac = {2, [5] = (uint8_t)k},
			.rate = params->rate,
			.cable = params->cable};
	if (params->wd_poll)
		device_event(d,
			(struct event){.at = prng_below(&d->rng, params->wd_poll), .kind = POLL});
	device_event(d, (struct event){.kind = TALK});
	return d;
}

void device_free(struct device *d)
{
	while (d->n)
		free(event_take(d).f);
	for (unsigned k = 0; k < PORTS; k++) {
		struct egress *e = &d->egress[k];

		for (struct parcel *f; (f = e->control) != NULL; free(f))
			e->control = f->next;
		for (unsigned c = 0; c < PKT_CLASSES; c++)
			for (struct parcel *f; (f = e->q[c].head) != NULL; free(f))
				e->q[c].head = f->next;
		free(d->tester[k].seen);
		free(d->tester[k].control);
	}
	free(d->heap);
	free(d->turn);
	free(d);
}

struct lab *device_lab(struct device *d)
{
	return &d->lab;
}

struct device_params *device_params(struct device *d)
{
	return &d->p;
}

struct probe *device_probe(struct device *d, uint8_t classes)
{
	struct probe_cfg *cfg = calloc(1, sizeof(*cfg));
	struct probe *p = calloc(1, sizeof(*p));

	*cfg = (struct probe_cfg){.in = {0, 1, 3},
		.n_in = 3,
		.out = {2, 3},
		.n_out = 2,
		.classes = classes,
		.accuracy = .03,
		.steps = UINT32_MAX,
		.most_hold = 50 * PS_PER_MS,
		.most_step = 5 * PS_PER_S,
		.most_time = 600 * PS_PER_S,
		.most_frames = 4000000,
		.most_buffer = 128000000,
		.response_limit = 394, // at 100 Gb/s
		.seed = d->p.seed};
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		cfg->dscp[c] = PROBE_NO_DSCP;
		cfg->pcp[c] = TESTER_UNTAGGED;
		for (unsigned k = 64; k-- > 0;)
			if (d->p.cls[k] == c)
				cfg->dscp[c] = (uint8_t)k;
	}
	p->found = calloc(1, sizeof(*p->found));
	p->err = calloc(1, sizeof(*p->err));
	probe_init(p, &d->lab, cfg, p->found, p->err);
	return p;
}

void device_probe_free(struct probe *p)
{
	probe_list_free(p);
	found_free(p->found);
	free(p->found);
	free(p->err);
	free((void *)(uintptr_t)p->cfg);
	free(p);
}
