// SPDX-License-Identifier: BSD-3-Clause
// States of queues between the events that begin and end them.
#include "spans.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES = 8 };

static const struct {
	enum ev_type begin, end;
} pair[SPAN_KINDS] = {
	[SPAN_PAUSE] = {EV_PAUSE_RX, EV_RESUME_RX},
	[SPAN_STORM] = {EV_PFCWD_STORM, EV_PFCWD_RESTORE},
	[SPAN_DEADLOCK] = {EV_DEADLOCK, EV_DEADLOCK_END},
};

bool span_begins(enum ev_type type, enum span_kind *kind)
{
	for (unsigned k = 0; k < SPAN_KINDS; k++)
		if (pair[k].begin == type) {
			*kind = k;
			return true;
		}
	return false;
}

bool span_ends(enum ev_type type, enum span_kind *kind)
{
	for (unsigned k = 0; k < SPAN_KINDS; k++)
		if (pair[k].end == type) {
			*kind = k;
			return true;
		}
	return false;
}

struct span *spans_of(struct spans *s, unsigned object, int cls, enum span_kind kind)
{
	if (cls < 0 || cls >= CLASSES)
		return NULL;
	if (object >= s->objects) {
		unsigned n = 2 * (object + 1), each = CLASSES * SPAN_KINDS;
		struct span *more = realloc(s->span, (size_t)n * each * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + (size_t)s->objects * each, 0,
			(size_t)(n - s->objects) * each * sizeof(*more));
		s->span = more;
		s->objects = n;
	}
	return &s->span[((size_t)object * CLASSES + (unsigned)cls) * SPAN_KINDS + kind];
}

void spans_take(
	struct spans *s, struct found *f, const struct saved_ev *ev, uint64_t event, tstamp from)
{
	enum span_kind kind;
	bool begins = span_begins(ev->type, &kind);
	struct span *span;

	if (!begins && !span_ends(ev->type, &kind))
		return;
	span = spans_of(s, ev->object, ev->cls, kind);
	if (!span) {
		f->no_memory |= ev->cls >= 0;
		return;
	}
	if (span->open && span->t < from && ev->t >= from)
		found_add(f, span->event, FOUND_LATE, 0);
	*span = (struct span){.open = begins, .event = event, .t = ev->t};
}

void spans_end(struct spans *s, struct found *f)
{
	for (size_t i = 0; i < (size_t)s->objects * CLASSES * SPAN_KINDS; i++)
		if (s->span[i].open) {
			found_add(f, s->span[i].event, FOUND_LATE, 0);
			found_add(f, s->span[i].event, FOUND_NO_END, 0);
		}
}

void spans_fini(struct spans *s)
{
	free(s->span);
	*s = (struct spans){0};
}
