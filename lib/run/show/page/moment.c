// SPDX-License-Identifier: BSD-3-Clause
// Instants at which somebody marked or changed the run: events user_mark and set.
#include <stdlib.h>
#include <string.h>

#include "int.h"

enum { MOMENTS = PAGE_POINTS }; // that a page has at most

struct moment {
	tstamp t;
	enum ev_type type;
	char text[96];
	unsigned object; // the first that told it
	unsigned nodes;
};

struct moments {
	struct moment moment[MOMENTS];
	unsigned n;
	uint64_t more;
};

// All nodes that adopt one change tell it, each in an event of its own with its number.
static bool is_same(const struct moment *m, const struct saved_ev *e)
{
	return m->type == EV_SET && e->type == EV_SET && m->t == e->t &&
	       strtoul(m->text, NULL, 10) == strtoul(e->detail, NULL, 10);
}

void moments_take(struct moments *m, const struct saved_ev *e)
{
	unsigned at = m->n;

	if (e->type != EV_USER_MARK && e->type != EV_SET)
		return;
	while (at && m->moment[at - 1].t == e->t && !is_same(&m->moment[at - 1], e))
		at--;
	if (at && is_same(&m->moment[at - 1], e)) {
		m->moment[at - 1].nodes++;
	} else if (m->n == MOMENTS) {
		m->more++;
	} else {
		struct moment *to = &m->moment[m->n++];

		*to = (struct moment){.t = e->t, .type = e->type, .object = e->object, .nodes = 1};
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
	char by[128];

	snprintf(by, sizeof(by), "%.*s", (int)strcspn(port, ":"), port);
	if (m->nodes > 1)
		snprintf(by + strlen(by), sizeof(by) - strlen(by), " and %u more", m->nodes - 1);
	jw_object(w, NULL, true);
	put_us(w, "t", m->t);
	jw_str(w, "event", ev_row[m->type].name);
	jw_str(w, "text", m->text);
	jw_str(w, "node", m->type == EV_SET ? by : "");
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
