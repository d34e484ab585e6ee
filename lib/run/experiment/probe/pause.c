// SPDX-License-Identifier: BSD-3-Clause
// Step `pause`: how soon the device's egress stops after XOFF, how long it holds, and how soon it
// goes on after XON (measuring.md M2). A sender at the line rate fills the egress all the time.
#include "int.h"

#include <errno.h>
#include <math.h>

#include "estimate/estimate.h"
#include "wire/pfc.h"

// Pauses that run out, and then pauses that XON ends. The first one of each kind only sets the
// instants at which frames leave.
#define HOLDS  9
#define XONS   5
#define LONG_Q 65535

static const uint16_t asked[HOLDS] = {400, 400, 1500, 4000, 400, 1500, 400, 1500, 400};

struct pauses {
	struct repeats response, error, resume;
	double q[HOLDS];         // quanta of each value in `error`
	double gap, gap_longest; // of our loops, ps
};

// The error that loops of ours and of the device give a time, ps: `gaps` of our usual gaps; of
// rough repeats the longest gap and twice the deviation of the repeats.
static double clock_error(const struct pauses *all, const struct repeats *r, double gaps)
{
	return r->rough ? all->gap_longest + 2 * repeats_deviation(r) : gaps * all->gap;
}

// A time of at least `least` after a resume. Frames stand in the queue then, so they leave as far
// apart as they are long, from the resume on. The XOFFs behind the first n + 1 resumes of a kind
// find each of n equal parts of a frame leaving: together they show the response better than XOFFs
// at random.
static tstamp another_phase(struct probe *p, tstamp least, unsigned k, unsigned n)
{
	const tstamp f = probe_wire(p, PROBE_SHORT);

	return least + f - least % f + (k * f + prng_below(&p->rng, f)) / n;
}

// Puts the pauses into the lists, and gives back how long they take.
static tstamp add_pauses(struct probe *p, unsigned cls)
{
	const tstamp f = probe_wire(p, PROBE_SHORT), rest = 10 * PS_PER_US + probe_w(p);
	const tstamp after = probe_tb(p) + 3 * probe_tb(p) / 10;
	const uint8_t classes = (uint8_t)(1u << cls);
	tstamp at = rest + prng_below(&p->rng, f);

	for (unsigned k = 0; k < HOLDS + XONS; k++) {
		unsigned quanta = k < HOLDS ? asked[k] : LONG_Q;
		struct tester_item i = probe_pfc(classes, quanta);

		i.at = at;
		probe_add(p, p->cfg->out[0], i);
		if (k < HOLDS) {
			at += quanta * p->quantum + another_phase(p, after + rest, k, HOLDS - 1);
			continue;
		}
		i = probe_pfc(classes, 0);
		at += probe_tb(p) + prng_below(&p->rng, f);
		i.at = at;
		probe_add(p, p->cfg->out[0], i);
		at += another_phase(p, after + rest, k - HOLDS, XONS - 1);
	}
	return at;
}

// The longest silence of the class' frames at a port that begins in from..until, or, with `over`,
// that lasts across that instant. False: there is none.
static bool silence_find(const struct lab_seen *s, uint16_t source, tstamp from, tstamp until,
	bool over, tstamp *a, tstamp *b)
{
	tstamp last = TSTAMP_NEVER, longest = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];

		if (e->sent || e->frame != TESTER_OURS || e->source != source)
			continue;
		if (last != TSTAMP_NEVER && (over || last > from) && last < until &&
			(!over || e->at > from) && e->at - last > longest) {
			longest = e->at - last;
			*a = last;
			*b = e->at;
		}
		last = e->at;
		if (last > until && (!over || last > from))
			break;
	}
	return longest != 0;
}

// The k-th XOFF, at x.
static void read_xoff(
	const struct probe *p, const struct lab_seen *s, tstamp x, unsigned k, struct pauses *all)
{
	const uint16_t source = PROBE_SOURCE(p->cfg->in[0], 0);
	const tstamp f = probe_wire(p, PROBE_SHORT),
		     cables = 2 * p->lab->port[p->cfg->out[0]].cable;
	const tstamp until = x + probe_tb(p) + 3 * p->lab->gap;
	const tstamp asks = k < HOLDS ? asked[k] * p->quantum : probe_tb(p);
	const double g = (double)p->lab->gap;
	double hold;
	tstamp a, b;

	if (!silence_find(s, source, x, until, false, &a, &b) || b - a < asks / 2)
		return;
	repeats_add(&all->response,
		(double)a - (double)(x + f) - (double)cables - (double)f / 2 - g / 2);
	if (k >= HOLDS)
		return;
	hold = (double)b - (double)f - (double)a + (double)f / 2;
	all->q[all->error.n] = asked[k];
	repeats_add(&all->error, hold - (double)asks);
}

static void read_xon(const struct probe *p, const struct lab_seen *s, tstamp x, struct pauses *all)
{
	const uint16_t source = PROBE_SOURCE(p->cfg->in[0], 0);
	const double f = (double)probe_wire(p, PROBE_SHORT);
	const double cables = 2 * (double)p->lab->port[p->cfg->out[0]].cable;
	tstamp a, b;

	if (silence_find(s, source, x, x + 1, true, &a, &b) && b - a > probe_tb(p) / 2)
		repeats_add(&all->resume,
			(double)b - f - ((double)x + f) - cables - (double)p->lab->gap / 2);
}

static void read_pauses(
	const struct probe *p, const struct lab_sight *sight, unsigned cls, struct pauses *all)
{
	const struct lab_seen *s = &sight->port[p->cfg->out[0]];
	const double width = 2 * (double)probe_wire(p, PROBE_SHORT) + 3 * (double)p->lab->gap;
	unsigned xoffs = 0;

	*all = (struct pauses){
		.gap = (double)p->lab->gap, .gap_longest = (double)sight->gap_longest};
	for (uint32_t i = 0; i < s->n; i++) {
		const struct tester_seen *e = &s->entry[i];
		unsigned k = xoffs;

		if (!e->sent || e->frame != TESTER_CONTROL)
			continue;
		if (!lab_control(s, e)->pfc.quanta[cls])
			read_xon(p, s, e->at, all);
		else if (xoffs++ && k != HOLDS)
			read_xoff(p, s, e->at, k, all);
	}
	repeats_leave_out(&all->response, width, NULL);
	repeats_leave_out(&all->error, width, all->q);
	repeats_leave_out(&all->resume, width, NULL);
}

// The line through holds over quanta: its slope is the device's quantum. An error that grows with
// the quanta is the device's. Only what is beside the line is by chance.
static int write_holds(struct probe *p, unsigned cls, const struct pauses *all)
{
	struct probe_curve *c = found_curve(p->found, "hold", cls, "quanta", "hold, us");
	const double quantum = (double)p->quantum, e = repeats_mean(&all->error);
	struct repeats beside = all->error;
	double q = 0, qq = 0, qe = 0, pm = (double)probe_wire(p, PROBE_SHORT) / 2;

	if (!c)
		return -ENOMEM;
	for (unsigned k = 0; k < all->error.n; k++)
		q += all->q[k] / all->error.n;
	for (unsigned k = 0; k < all->error.n; k++) {
		qq += (all->q[k] - q) * (all->q[k] - q);
		qe += (all->q[k] - q) * (all->error.x[k] - e);
		if (found_point(
			    c, all->q[k], (all->q[k] * quantum + all->error.x[k]) / PS_PER_US, 1))
			return -ENOMEM;
	}
	for (unsigned k = 0; qq > 0 && k < beside.n; k++)
		beside.x[k] -= (all->q[k] - q) * qe / qq;
	pm += clock_error(all, &beside, 1);
	found_is(p->found, cls, PROBE_HOLD_ERROR, e / PS_PER_US, pm / PS_PER_US);
	if (qq > 0)
		found_is(p->found, cls, PROBE_QUANTUM, quantum + qe / qq, pm / sqrt(qq));
	return 0;
}

static int write_figures(struct probe *p, unsigned cls, const struct pauses *all, tstamp longest)
{
	const double f = (double)probe_wire(p, PROBE_SHORT);
	const double q = (double)p->quantum, response = repeats_mean(&all->response);
	const double chance = 2 * repeats_deviation(&all->response) / sqrt(all->response.n);
	const double pm = f / 2 + chance + clock_error(all, &all->response, .5);
	const double resume = all->resume.n ? repeats_mean(&all->resume) : 0;

	p->response = response > 0 ? (tstamp)response : 0;
	found_is(p->found, cls, PROBE_RESPONSE, response / PS_PER_US, pm / PS_PER_US);
	found_is(p->found, cls, PROBE_RESPONSE_QUANTA, response / q, pm / q);
	if ((double)longest > p->cfg->response_limit * q / 2)
		found_state(p->found, cls, PROBE_RESPONSE_QUANTA, FOUND_INVALID, response / q,
			"our own loops are longer than half of what 802.3 allows");
	if (all->resume.n)
		found_is(p->found, cls, PROBE_RESUME, resume / PS_PER_US,
			(f + clock_error(all, &all->resume, 1)) / PS_PER_US);
	return all->error.n ? write_holds(p, cls, all) : 0;
}

int probe_pause(struct probe *p, unsigned cls)
{
	struct lab_sight sight;
	struct tester_item data;
	struct pauses all;
	const char *why;
	tstamp takes;
	int rc;

	probe_list_new(p, "pause");
	takes = add_pauses(p, cls);
	data = probe_data(p, p->cfg->in[0], p->cfg->out[0], cls,
		(uint32_t)(takes / probe_wire(p, PROBE_SHORT)) + 1);
	data.len = PROBE_SHORT;
	probe_add(p, p->cfg->in[0], data);
	p->list.whole_rate = true;
	rc = probe_do(p, &sight, &why);
	if (rc && rc != -EAGAIN)
		return rc;
	read_pauses(p, &sight, cls, &all);
	if (!all.response.n) {
		for (unsigned k = PROBE_RESPONSE; k <= PROBE_RESUME; k++)
			found_state(p->found, cls, k, FOUND_NOT, 0,
				rc ? why : "no pause was seen at the rate of the line");
		return 0;
	}
	rc = rc && why != probe_late ? rc : 0;
	if (rc) {
		for (unsigned k = PROBE_RESPONSE; k <= PROBE_RESUME; k++)
			found_state(p->found, cls, k, FOUND_INVALID, 0, why);
		return 0;
	}
	rc = write_figures(p, cls, &all, sight.gap_longest);
	for (unsigned k = PROBE_RESPONSE; why && k <= PROBE_RESUME; k++)
		if (p->found->f[cls][k].state == FOUND_IS)
			p->found->f[cls][k].why = why;
	return rc;
}
