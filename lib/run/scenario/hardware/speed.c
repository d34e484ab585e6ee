// SPDX-License-Identifier: BSD-3-Clause
// Thresholds of a marker that follow the rate of the egress link: a size for each Gbit/s, and the
// rows of by_rate.
#include "speed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

// Reads the key of a row: 25G, or a rate with its unit.
static int row_rate(struct draft *b, rate_t *rate, const struct yamldoc_node *key)
{
	char with_unit[40];

	snprintf(with_unit, sizeof(with_unit), "%.30sbps", key->text);
	if ((units_parse(UNITS_RATE, with_unit, rate) &&
		    units_parse(UNITS_RATE, key->text, rate)) ||
		!*rate)
		return yamldoc_err(b->err, key, "by_rate: '%.30s' is no rate; write one, as in 25G",
			key->text);
	return 0;
}

// Finds the item of by_rate for a rate. *row stays NULL if there is none. All keys are read, so
// that a wrong one is found whatever links there are.
static int find_row(struct draft *b, const struct yamldoc_item **row,
	const struct yamldoc_node *rows, rate_t rate)
{
	for (unsigned i = 0; i < rows->n; i++) {
		rate_t of = 0;
		int rc = row_rate(b, &of, rows->item[i].key);

		if (rc)
			return rc;
		if (*row && of == rate)
			return yamldoc_err(b->err, rows->item[i].key,
				"by_rate: %.30s and %.30s are one rate; write it once",
				(*row)->key->text, rows->item[i].key->text);
		if (of == rate)
			*row = &rows->item[i];
	}
	return 0;
}

static int no_row(struct draft *b, const struct spec_wred *w, const struct draft_port *p)
{
	char rate[32], rows[256] = "";

	for (unsigned i = 0; i < w->by_rate->n; i++)
		append_text(rows, sizeof(rows), "%s%.30s", i ? ", " : "",
			w->by_rate->item[i].key->text);
	return yamldoc_err(b->err, w->by_rate,
		"by_rate has no row for %s, the rate of the link at port %s; its rows are for %s",
		units_format(UNITS_RATE, p->link->spec.rate, rate, sizeof(rate)), p->name,
		*rows ? rows : "no rate");
}

// Makes *a, the amount of a key of wred, a size in bytes if it is one for each Gbit/s.
static int make_bytes(struct draft *b, struct opt_amount *a, const struct spec_wred *w,
	const char *key, const struct draft_port *p)
{
	const struct opt_table *t = hardware_class_table("wred");
	const rate_t rate = p->link->spec.rate;
	char said[DRAFT_SAID], most[32];

	if (!a->per_gbps)
		return 0;
	*a = (struct opt_amount){
		.value = (uint64_t)((unsigned __int128)a->value * rate / RATE_GBPS)};
	if (a->value <= SPEC_WRED_MAX)
		return 0;
	return yamldoc_err(b->err, opt_source(t, w, key), "wred %s %s is above %s, the most", key,
		draft_said(t, w, key, a->value, said, sizeof(said)),
		units_format(UNITS_SIZE, SPEC_WRED_MAX, most, sizeof(most)));
}

// Whether `ports` gives this port a probability, and the rows are the switch's.
static bool has_own_probability(const struct spec_wred *w, const struct spec_wred *of_switch)
{
	const struct opt_table *t = hardware_class_table("wred");

	return opt_source(t, w, "probability") != opt_source(t, of_switch, "probability") &&
	       w->by_rate == of_switch->by_rate;
}

// Puts the values of the row for the port's rate into *to.
static int row_apply(struct draft *b, struct spec_wred *to, const struct draft_port *p)
{
	const struct opt_table *wred = hardware_class_table("wred");
	const struct opt_table *row = opt_row(wred, "by_rate")->sub;
	const struct yamldoc_item *item = NULL;
	int rc = find_row(b, &item, to->by_rate, p->link->spec.rate);

	if (rc)
		return rc;
	if (!item)
		return no_row(b, to, p);
	rc = opt_apply(row, to, item->value, b->err);
	return rc ? rc : opt_require(row, to, item->key, b->err);
}

int speed_wred(struct draft *b, struct spec_wred *to, const struct draft_port *p, unsigned cls)
{
	const struct spec_wred *w = &p->spec->cls[cls].wred;
	int rc;

	*to = *w;
	rc = w->by_rate ? row_apply(b, to, p) : 0;
	if (!rc && has_own_probability(w, &draft_port_node(p)->sw->cls[cls].wred))
		to->probability = w->probability;
	if (!rc)
		rc = make_bytes(b, &to->min, to, "min", p);
	if (!rc)
		rc = make_bytes(b, &to->max, to, "max", p);
	if (!rc)
		rc = make_bytes(b, &to->drop_min, to, "drop_min", p);
	return rc ? rc : make_bytes(b, &to->drop_max, to, "drop_max", p);
}
