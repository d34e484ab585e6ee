// SPDX-License-Identifier: BSD-3-Clause
// PFC and PAUSE that came, and the frames that the port sends before them and in spite of them.
#include "int.h"

static void source_seen(struct row *r, const struct pkt *p)
{
	struct outside_asked *a = &r->asked;

	if (!p->hdr)
		return;
	for (unsigned i = 0; i < a->sources; i++)
		if (!memcmp(r->source[i], p->hdr->src, 6))
			return;
	if (a->sources < OUTSIDE_SOURCES)
		memcpy(r->source[a->sources++], p->hdr->src, 6);
}

static void row_asked(
	struct outside *o, struct row *r, const struct pkt *p, unsigned quanta, tstamp now)
{
	struct outside_asked *a = &r->asked;

	source_seen(r, p);
	if (!quanta) {
		a->xon_frames++;
		r->until = now;
		return;
	}
	if (!a->xoff_frames) {
		a->before_frames = r->sent_frames;
		a->before_bytes = r->sent_bytes;
	}
	if (!a->xoff_frames++ || quanta < a->quanta_least)
		a->quanta_least = quanta;
	if (quanta > a->quanta_most)
		a->quanta_most = quanta;
	if (now < r->until) {
		a->refresh_frames++;
		hist_add(&a->refresh, now - r->xoff_at, 1);
	}
	r->xoff_at = now;
	r->until = now + quanta * o->quantum;
}

void asked_pfc(struct outside *o, const struct pkt *p, tstamp now)
{
	if (p->kind == PKT_PAUSE) {
		row_asked(o, &o->row[OUTSIDE_LINK], p, p->u.pfc.quanta[0], now);
		return;
	}
	for (unsigned left = p->u.pfc.enable; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);

		row_asked(o, &o->row[cls], p, p->u.pfc.quanta[cls], now);
	}
}

static void row_sent(struct row *r, uint64_t bytes, tstamp now)
{
	r->sent_frames++;
	r->sent_bytes += bytes;
	if (now < r->until) {
		r->asked.paused_frames++;
		r->asked.paused_bytes += bytes;
	}
}

void asked_own(struct outside *o, const struct pkt *p, tstamp now)
{
	uint64_t bytes = p->len + (uint64_t)o->p.queue_extra;

	row_sent(&o->row[p->cls & 7], bytes, now);
	row_sent(&o->row[OUTSIDE_LINK], bytes, now);
}
