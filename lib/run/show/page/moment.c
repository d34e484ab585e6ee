// SPDX-License-Identifier: BSD-3-Clause
// Instants at which somebody marked or changed the run, or a fault first hit a frame: events
// user_mark, set and fault.
#include <stdlib.h>
#include <string.h>

#include "int.h"

enum { MOMENTS = PAGE_POINTS }; // that a page has at most

struct moment {
	tstamp t;
	enum ev_type type;
	char text[96];
	unsigned object; // the first that told it
	uint64_t times;  // nodes that adopt a change, frames that a fault hits
};

struct moments {
	struct moment moment[MOMENTS];
	unsigned n, fault; // fault: the moment of the last one
	uint64_t more;
};

// All nodes that adopt one change tell it, each in an event of its own with its number.
static bool is_same(const struct moment *m, const struct saved_ev *e)
{
	return m->type == EV_SET && e->type == EV_SET && m->t == e->t &&
	       strtoul(m->text, NULL, 10) == strtoul(e->detail, NULL, 10);
}

// A fault is known by its number and action. Its first hit is the moment.
static bool fault_has_hit(struct moments *m, const struct saved_ev *e)
{
	for (unsigned i = 0; i < m->n; i++) {
		unsigned at = (m->fault + i) % m->n; // mostly the same one again
		struct moment *x = &m->moment[at];

		if (x->type != EV_FAULT || strcmp(x->text, e->detail) != 0)
			continue;
		x->times++;
		m->fault = at;
		return true;
	}
	return false;
}

void moments_take(struct moments *m, const struct saved_ev *e)
{
	unsigned at = m->n;

	if (e->type == EV_FAULT && fault_has_hit(m, e))
		return;
	if (e->type != EV_USER_MARK && e->type != EV_SET && e->type != EV_FAULT)
		return;
	while (at && m->moment[at - 1].t == e->t && !is_same(&m->moment[at - 1], e))
		at--;
	if (at && is_same(&m->moment[at - 1], e)) {
		m->moment[at - 1].times++;
	} else if (m->n == MOMENTS) {
		m->more++;
	} else {
		struct moment *to = &m->moment[m->n++];

		*to = (struct moment){.t = e->t, .type = e->type, .object = e->object, .times = 1};
		snprintf(to->text, sizeof(to->text), "%s", e->detail);
	}
}

struct moments *moments_new(void)
{
	return calloc(1, sizeof(struct moments));
}

static void put(struct jw *w, const struct saved *s, const struct moment *m)
{
	const char *port = saved_object(s, m->object);
	const bool is_fault = m->type == EV_FAULT;
	char by[128] = "", text[128];

	if (m->type != EV_USER_MARK)
		snprintf(by, sizeof(by), "%.*s",
			is_fault ? (int)strlen(port) : (int)strcspn(port, ":"), port);
	if (m->type == EV_SET && m->times > 1)
		snprintf(by + strlen(by), sizeof(by) - strlen(by), " and %llu more",
			(unsigned long long)m->times - 1);
	snprintf(text, sizeof(text), "%s", m->text);
	if (is_fault && m->times > 1)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ", first of %llu hits",
			(unsigned long long)m->times);
	jw_object(w, NULL, true);
	put_us(w, "t", m->t);
	jw_str(w, "event", ev_row[m->type].name);
	jw_str(w, "text", text);
	jw_str(w, "node", by);
	jw_end(w);
}

void moments_put(struct jw *w, const struct saved *s, const struct moments *m)
{
	jw_array(w, "moments", false);
	for (unsigned i = 0; i < m->n; i++)
		put(w, s, &m->moment[i]);
	jw_end(w);
	jw_u64(w, "more_moments", m->more);
}
