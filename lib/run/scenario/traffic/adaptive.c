// SPDX-License-Identifier: BSD-3-Clause
// The adaptive retransmission timeout of a queue pair: its values as a scenario gives them, and the
// first of them, which is drawn.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

static int wrong(struct draft *b, const struct yamldoc_node *n)
{
	return yamldoc_err(b->err, n,
		"ranges: write 1 to %u ranges of values that rise, 0 to %u, as in "
		"[9..12, 14..15x2] (x2: each value twice)",
		RC_ADAPTIVE_RANGES, RC_ADAPTIVE_MAX);
}

bool traffic_take_number(const char **at, unsigned most, uint8_t *to)
{
	char *end;
	unsigned long n;

	if (**at < '0' || **at > '9')
		return false;
	n = strtoul(*at, &end, 10);
	*at = end;
	*to = (uint8_t)n;
	return n <= most;
}

// "9..12", "9" or "9..12x2".
static bool take_range(const char *at, struct rc_adaptive_range *r)
{
	r->each = 1;
	if (!traffic_take_number(&at, RC_ADAPTIVE_MAX, &r->low))
		return false;
	r->high = r->low;
	if (at[0] == '.' && at[1] == '.') {
		at += 2;
		if (!traffic_take_number(&at, RC_ADAPTIVE_MAX, &r->high))
			return false;
	}
	if (*at == 'x') {
		at++;
		if (!traffic_take_number(&at, UINT8_MAX, &r->each))
			return false;
	}
	return !*at;
}

static int read_ranges(struct draft *b, struct rc_adaptive *a, const struct yamldoc_node *n)
{
	bool is_list = n->type == YAMLDOC_LIST;
	unsigned count = is_list ? n->n : 1;

	if (!count || count > RC_ADAPTIVE_RANGES)
		return wrong(b, n);
	for (unsigned i = 0; i < count; i++) {
		const struct yamldoc_node *one = is_list ? n->item[i].value : n;

		if (one->type != YAMLDOC_SCALAR || !take_range(one->text, &a->range[i]))
			return wrong(b, one);
		a->n++;
	}
	return rc_adaptive_is_valid(a) ? 0 : wrong(b, n);
}

// 4 us times a power of two.
static int take_base(struct draft *b, const struct draft_flow *f, tstamp base, uint8_t *to)
{
	for (*to = 0; *to <= RC_ADAPTIVE_SHIFT; ++*to)
		if (base == RC_ADAPTIVE_BASE << *to)
			return 0;
	return yamldoc_err(b->err, opt_source(&scene_opts_flow, f->spec, "rto_adaptive"),
		"flow '%s': time_base is 4 us or a power of two of it: 4us, 8us, 16us ...",
		f->name);
}

int traffic_adaptive(struct draft *b, const struct scene_flow *q, const struct draft_flow *f,
	struct rc_params *to)
{
	const struct spec_adaptive *s = &f->spec->adaptive;
	const struct yamldoc_node *said = opt_source(&scene_opts_flow, f->spec, "rto_adaptive");
	struct rc_adaptive a = {.range = {{9, 12, 1}}};
	int rc;

	if (f->spec->recovery != SPEC_GO_BACK_N)
		return 0;
	if (f->spec->rto != OPT_WORD(0)) {
		if (!said)
			return 0;
		return yamldoc_err(b->err, said,
			"flow '%s' has a fixed timeout, and no use for rto_adaptive; give it rto: "
			"adaptive, or leave the key out",
			f->name);
	}
	if (s->init_low + s->init_size - 1 > RC_ADAPTIVE_MAX)
		return yamldoc_err(b->err, said,
			"flow '%s': the first values go up to %u: init_low + init_size - 1 is at "
			"most %u",
			f->name, s->init_low + s->init_size - 1, RC_ADAPTIVE_MAX);
	rc = take_base(b, f, s->time_base, &a.base);
	if (!rc && s->ranges)
		rc = read_ranges(b, &a, s->ranges);
	else
		a.n = 1;
	if (rc)
		return rc;
	a.first = (uint8_t)(s->init_low + traffic_draw(b, q->name, "rto", s->init_size));
	to->adaptive = a;
	to->rto_ps = rc_adaptive_time(&a, 0);
	return 0;
}
