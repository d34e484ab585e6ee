// SPDX-License-Identifier: BSD-3-Clause
// CNPs of notification points behind observed ports (measuring.md M4), by each key: against the
// number that the CE frames ask for.
#include <errno.h>
#include <math.h>

#include "int.h"

struct outside_cnp_row {
	const char *port, *key, *rule;
	uint64_t ce, cnps, values;
	double greedy, window, greedy_off, window_off, fits;
	struct kind_dist gap_us, delay_us;
};

struct adding {
	struct set *to;
	tstamp now;
};

static const char *const key_names[OUTSIDE_NP_KEYS] = {[NP_KEY_QP] = "qp",
	[NP_KEY_IP_PAIR] = "ip_pair",
	[NP_KEY_DST_IP] = "dst_ip",
	[NP_KEY_PORT] = "port"};

// Judges the key: each of its values may be off by one CNP, which is on its way at the end. Queue
// pairs are judged by their sum, so half of them may be.
static void judge(struct outside_cnp_row *r, const struct outside_cnp *c, enum np_key key)
{
	uint64_t most = key == NP_KEY_QP && c->values > 1 ? c->values / 2 : c->values;
	bool greedy = c->greedy_off <= most, window = c->window_off <= most;

	if (isnan(r->greedy) || c->cnps < 2)
		return;
	r->fits = (greedy || window) && host_is_spaced(c->cnps, c->close_gaps);
	if (r->fits > 0)
		r->rule = greedy && window ? "both" : greedy ? "next_marked" : "window";
}

static bool add_keys(void *arg, const struct scene_port *p, const struct outside *o)
{
	struct adding *a = arg;

	for (unsigned key = 0; key < OUTSIDE_NP_KEYS; key++) {
		struct outside_cnp c = outside_cnp(o, (enum np_key)key, a->now);
		bool known = c.ce && p->np_interval;
		struct outside_cnp_row *r;

		if (!c.ce && !c.cnps)
			continue;
		r = set_add(a->to);
		*r = (struct outside_cnp_row){.port = p->name,
			.key = key_names[key],
			.ce = c.ce,
			.cnps = c.cnps,
			.values = c.values,
			.greedy = known ? (double)c.greedy : NAN,
			.window = known ? (double)c.window : NAN,
			.greedy_off = known ? (double)c.greedy_off : NAN,
			.window_off = known ? (double)c.window_off : NAN,
			.fits = NAN,
			.gap_us = kind_dist_look(outside_cnp_gap(o, (enum np_key)key), 1e6),
			.delay_us = kind_dist_look(outside_cnp_delay(o, (enum np_key)key), 1e6)};
		judge(r, &c, (enum np_key)key);
	}
	return true;
}

static int make_cnps(struct summary *s, struct set *to)
{
	struct adding a = {to, s->to};

	if (set_room(to, &kind_outside_cnp, fabric_n_outside(s) * OUTSIDE_NP_KEYS))
		return -ENOMEM;
	fabric_each_outside(s, add_keys, &a);
	return 0;
}

#define N(field, name, unit, ...) ROW_COUNT(struct outside_cnp_row, field, name, unit, __VA_ARGS__)
#define V(field, name, unit, decimals, ...) \
	ROW_VALUE(struct outside_cnp_row, field, name, unit, decimals, __VA_ARGS__)

static const struct figure figures[] = {
	ROW_TEXT(struct outside_cnp_row, port, "port", "the observed port"),
	ROW_TEXT(struct outside_cnp_row, key, "key",
		"the key that may space CNPs of a notification point: `qp` is each queue pair, "
		"`ip_pair` both addresses, `dst_ip` the sender's, `port` the whole NIC"),
	ROW_TEXT(struct outside_cnp_row, rule, "rule",
		"the rule that the number of CNPs fits: `next_marked` (Lumina's), `window`, or "
		"`both`; `null`: neither, or nothing is known"),
	N(ce, "ce_tx", "frames", "data that left with CE"),
	N(cnps, "cnp_rx", "frames", "CNPs that arrived"),
	N(values, "values", "",
		"queue pairs that had CE; else addresses or NICs that had CE or CNPs"),
	V(greedy, "cnp_next_marked", "frames", 0,
		"CNPs that the CE frames ask for by Lumina's rule: one for each CE that comes T "
		"or more after the last CE that asked for one; `null`: no CE passed, or T is not "
		"known"),
	V(window, "cnp_window", "frames", 0,
		"CNPs that the CE frames ask for by windows: one at the first CE and one at the "
		"end of each T in which CE came"),
	V(greedy_off, "off_next_marked", "", 0,
		"sum over the values of the key of the difference between CNPs and "
		"`cnp_next_marked`; of `qp` the difference of the sums"),
	V(window_off, "off_window", "", 0,
		"sum over the values of the key of the difference between CNPs and `cnp_window`; "
		"of `qp` the difference of the sums"),
	V(fits, "fits", "0, 1", 0,
		"whether CNPs agree with this key: no value is off by more than one CNP on "
		"average by one of the rules, and less than a thousandth of the gaps is under "
		"95 % of T"),
	ROW_DIST(struct outside_cnp_row, gap_us, min, "cnp_gap_min_us", "us",
		"minimum of the time between two CNPs of a value"),
	ROW_SPREAD(struct outside_cnp_row, gap_us, "cnp_gap", "_us", "us",
		"the time between two CNPs of a value", ""),
	ROW_SPREAD(struct outside_cnp_row, delay_us, "np_delay", "_us", "us",
		"the delay of the notification point",
		", from the last bit of the CE that asks for a CNP by Lumina's rule, as it "
		"leaves, to the arrival of the CNP, less the cable there and back; not of `qp`"),
};

static const char *cnp_name(const void *object, char *buf)
{
	const struct outside_cnp_row *r = object;

	snprintf(buf, KIND_NAME, "%s.%s", r->key, r->port);
	return buf;
}

static void could_cnps(struct kind_look *l)
{
	for (unsigned i = 0; i < l->s->n_nodes; i++) {
		const struct scene_node *n = &l->s->node[i];

		for (unsigned k = 0; k < n->n_ports * OUTSIDE_NP_KEYS && !l->enough; k++)
			if (n->port[k / OUTSIDE_NP_KEYS].observe)
				look_tell(l, "%s.%s", key_names[k % OUTSIDE_NP_KEYS],
					n->port[k / OUTSIDE_NP_KEYS].name);
	}
}

const struct kind kind_outside_cnp = {
	.key = "seen_from_outside_cnps",
	.path = "outside_cnp",
	.title = "CNPs seen from outside",
	.about = "Each observed port and key, whole run: CNPs that came for the CE that had left.",
	.example = "ip_pair.s1:r",
	.if_any = true,
	.size = sizeof(struct outside_cnp_row),
	KIND_FIGURES(figures),
	.make = make_cnps,
	.name = cnp_name,
	.could = could_cnps,
};
