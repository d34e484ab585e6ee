// SPDX-License-Identifier: BSD-3-Clause
// The model of a port's PFC: timers, slow peers, what was told, and what counters should say.
#include "port.h"

#include <string.h>

static void foresee(struct ll_prio *q, uint8_t type, uint8_t by, uint16_t quanta, tstamp t)
{
	if (q->n == LL_AHEAD) { // its node runs in short bursts: the events are missing
		ll_fault(LL_QUANTA, "no events of %u changes of a pause", LL_AHEAD);
		return;
	}
	q->ahead[(q->first + q->n++) % LL_AHEAD] =
		(struct ll_change){.t = t, .type = type, .by = by, .quanta = quanta};
}

static void resume(struct ll_prio *q, uint8_t by, tstamp at)
{
	q->paused = false;
	q->in.transitions_off++;
	q->in.pause_effective_ps += at - q->began;
	foresee(q, EV_RESUME_RX, by, 0, at);
}

static void pause_begins(struct ll_prio *q, uint16_t quanta, tstamp at)
{
	q->paused = true;
	q->began = at;
	q->in.transitions_on++;
	foresee(q, EV_PAUSE_RX, 0, quanta, at);
}

static void count(struct pause_stats *s, const struct ll_port *p, uint16_t quanta)
{
	s->xoff_frames += quanta > 0;
	s->xon_frames += quanta == 0;
	s->pause_requested_ps += quanta * p->quantum;
}

// The timer runs out at its nominal instant, before anything else that happens then.
static void run_out(struct ll_prio *q, tstamp now)
{
	if (!q->paused || now < q->until)
		return;
	q->in.expired++;
	resume(q, EV_RESUME_EXPIRED, q->until);
}

// 802.1Q cl. 36: the timer is overwritten; time 0 resumes.
static void take_effect(struct ll_port *p, uint8_t enable, const uint16_t *quanta, tstamp now)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		struct ll_prio *q = &p->prio[c];

		run_out(q, now);
		if (!(enable >> c & 1))
			continue;
		if (!(p->obey >> c & 1))
			continue;
		if (quanta[c]) {
			if (!q->paused)
				pause_begins(q, quanta[c], now);
			q->until = now + quanta[c] * p->quantum;
		} else if (q->paused) {
			resume(q, EV_RESUME_XON, now);
		}
	}
}

void ll_port_catch_up(struct ll_port *p, tstamp now)
{
	for (; p->n && p->late[p->first].at <= now; p->n--, p->first = (p->first + 1) % LL_LATE)
		take_effect(p, p->late[p->first].enable, p->late[p->first].quanta,
			p->late[p->first].at);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		run_out(&p->prio[c], now);
}

// Counted as it comes, whenever it takes effect, if ever.
static void arrive(struct ll_port *p, const struct pkt_pfc *f, tstamp now)
{
	for (unsigned c = 0; f && c < PKT_CLASSES; c++) {
		struct ll_prio *q = &p->prio[c];

		if (!(f->enable >> c & 1))
			continue;
		count(&q->in, p, f->quanta[c]);
		q->in.refresh_frames += f->quanta[c] && q->paused && now < q->until;
	}
}

void ll_port_received(
	struct ll_port *p, const struct pkt_pfc *f, const struct pkt_pfc *pfc, tstamp now)
{
	struct ll_late *l;

	if (!p->response) {
		arrive(p, pfc, now);
		take_effect(p, f->enable, f->quanta, now);
		return;
	}
	ll_port_catch_up(p, now - 1); // what is due at this very instant follows the arrival
	arrive(p, pfc, now);
	if (p->n == LL_LATE) {
		ll_fault(
			LL_QUANTA, "%s: more than %u frames of PFC on their way", p->name, LL_LATE);
		return;
	}
	l = &p->late[(p->first + p->n++) % LL_LATE];
	*l = (struct ll_late){.at = now + p->response, .enable = f->enable};
	memcpy(l->quanta, f->quanta, sizeof(l->quanta));
}

// XOFF and XON of one priority take turns; an XOFF in XOFF is a refresh, and comes no sooner than
// it is due, but for the time that the first waited for the wire.
void ll_port_sent(struct ll_port *p, const struct pkt_pfc *f, bool pfc, tstamp now)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		struct ll_prio *q = &p->prio[c];

		if (!(f->enable >> c & 1))
			continue;
		if (pfc)
			count(&q->out, p, f->quanta[c]);
		if (!f->quanta[c] && !q->told)
			ll_fault(
				LL_ALTERNATION, "%s.%u: XON behind XON at %lu ps", p->name, c, now);
		if (f->quanta[c] && q->told && !(p->storm >> c & 1) &&
			now + p->slack < tstamp_add(q->told_at, q->refresh))
			ll_fault(LL_ALTERNATION,
				"%s.%u: XOFF at %lu ps behind XOFF at %lu ps, refresh is due "
				"after %lu ps",
				p->name, c, now, q->told_at, q->refresh);
		q->told = f->quanta[c];
		q->told_at = now;
	}
}

void ll_port_event(struct ll_port *p, const struct ev *e)
{
	struct ll_prio *q = &p->prio[e->cls & 7];
	struct ll_change *c = &q->ahead[q->first];

	ll_port_catch_up(p, e->t);
	if (!q->n || c->t != e->t || c->type != e->type ||
		(e->type == EV_PAUSE_RX ? c->quanta != e->pause.quanta : c->by != e->pause.by)) {
		ll_fault(LL_QUANTA, "%s.%u: %s at %lu ps, expected was %s at %lu ps", p->name,
			e->cls, e->type == EV_PAUSE_RX ? "pause" : "resume", e->t,
			!q->n                    ? "nothing"
			: c->type == EV_PAUSE_RX ? "pause"
						 : "resume",
			q->n ? c->t : 0);
		return;
	}
	q->first = (q->first + 1) % LL_AHEAD;
	q->n--;
}
