// SPDX-License-Identifier: BSD-3-Clause
// CNPs that notification points outside send for the CE that the port has sent to them. They are
// counted by each key by which a notification point may space its CNPs.
#include "int.h"

static bool is_value(const struct np_value *v, const struct np_value *as)
{
	return v->key == as->key && v->qpn == as->qpn && v->ipv6 == as->ipv6 &&
	       !memcmp(v->ours, as->ours, 16) && !memcmp(v->theirs, as->theirs, 16);
}

// The value of a key, which is made if there is room. NULL: there is none.
static struct np_value *value_of(struct outside *o, const struct np_value *as)
{
	uint32_t at = outside_hash(as->ours, as->theirs, as->qpn, as->key);

	for (; o->value[at % OUTSIDE_KEYS].used; at++)
		if (is_value(&o->value[at % OUTSIDE_KEYS], as))
			return &o->value[at % OUTSIDE_KEYS];
	if (o->n_values == OUTSIDE_KEYS / 4 * 3) {
		o->totals.unknown++;
		return NULL;
	}
	o->n_values++;
	o->value[at % OUTSIDE_KEYS] = *as;
	return &o->value[at % OUTSIDE_KEYS];
}

// The value that a frame has. CE and CNPs of a queue pair go to different numbers.
static struct np_value *value_at(
	struct outside *o, enum np_key key, const struct pkt *p, bool is_cnp)
{
	struct np_value as = {
		.used = true, .key = (uint8_t)key, .last = TSTAMP_NEVER, .asked = TSTAMP_NEVER};
	struct ends e;

	if (!outside_ends(&e, p))
		return NULL;
	as.ipv6 = key != NP_KEY_PORT && e.ipv6;
	if (key != NP_KEY_PORT)
		memcpy(as.ours, is_cnp ? e.daddr : e.saddr, 16);
	if (key == NP_KEY_QP || key == NP_KEY_IP_PAIR)
		memcpy(as.theirs, is_cnp ? e.saddr : e.daddr, 16);
	if (key == NP_KEY_QP)
		as.qpn = p->u.rc.qpn | (is_cnp ? 1u << 31 : 0);
	return value_of(o, &as);
}

void cnp_ce(struct outside *o, const struct pkt *p, tstamp now)
{
	for (unsigned key = 0; key < OUTSIDE_NP_KEYS; key++) {
		struct np_value *v = value_at(o, (enum np_key)key, p, false);

		if (!v)
			continue;
		v->ce++;
		np_due_ce(&v->window, NP_WINDOW, o->p.np_interval, 0, now);
		if (np_due_ce(&v->greedy, NP_NEXT_MARKED, o->p.np_interval, 0, now))
			v->asked = now;
	}
}

static void gap_seen(struct outside *o, struct np_view *view, tstamp gap)
{
	hist_add(&view->gap, gap, 1);
	view->close_gaps += gap < o->p.np_interval / 100 * 95;
}

void cnp_came(struct outside *o, const struct pkt *p, tstamp now)
{
	for (unsigned key = 0; key < OUTSIDE_NP_KEYS; key++) {
		struct np_value *v = value_at(o, (enum np_key)key, p, true);
		struct np_view *view = &o->np[key];

		if (!v)
			continue;
		v->cnps++;
		if (v->last != TSTAMP_NEVER)
			gap_seen(o, view, tstamp_since(now, v->last));
		v->last = now;
		if (v->asked != TSTAMP_NEVER)
			hist_add(&view->delay, tstamp_since(now, v->asked + 2 * o->p.delay), 1);
		v->asked = TSTAMP_NEVER;
	}
}

static uint64_t off_by(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

struct outside_cnp outside_cnp(const struct outside *o, enum np_key key, tstamp now)
{
	struct outside_cnp sum = {.close_gaps = o->np[key].close_gaps};

	for (unsigned i = 0; i < OUTSIDE_KEYS; i++) {
		const struct np_value *v = &o->value[i];
		struct np_due window = v->window;

		if (!v->used || v->key != key)
			continue;
		np_due_end(&window, o->p.np_interval, 0, now);
		sum.values += key != NP_KEY_QP || v->ce;
		sum.ce += v->ce;
		sum.cnps += v->cnps;
		sum.greedy += v->greedy.n;
		sum.window += window.n;
		sum.greedy_off += off_by(v->greedy.n, v->cnps);
		sum.window_off += off_by(window.n, v->cnps);
	}
	if (key == NP_KEY_QP) {
		sum.greedy_off = off_by(sum.greedy, sum.cnps);
		sum.window_off = off_by(sum.window, sum.cnps);
	}
	return sum;
}

const struct hist *outside_cnp_gap(const struct outside *o, enum np_key key)
{
	return &o->np[key].gap;
}

const struct hist *outside_cnp_delay(const struct outside *o, enum np_key key)
{
	return &o->np[key].delay;
}
