// SPDX-License-Identifier: BSD-3-Clause
// Pauses of each priority, received and sent (measuring.md M1), and how the peer of a switch's port
// obeys (M2): how many bytes of a priority arrived after its XOFF.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

// Adds the bytes and frames received since the last XOFF. Counters of 32 bits, which may have
// wrapped once.
static void more_came(struct rec_answer *a, uint32_t rx_bytes, uint32_t rx_frames)
{
	uint32_t bytes = rx_bytes - a->bytes, frames = rx_frames - a->frames;

	a->came_bytes += bytes;
	a->came_wire += bytes + (uint64_t)frames * (PKT_WIRE - PKT_FCS);
	a->bytes = rx_bytes;
	a->frames = rx_frames;
}

static void answered(struct record *r, struct rec_answer *a, const struct ev *e)
{
	a->asked = false;
	if (e->t < record_window(r))
		return;
	a->n++;
	record_hist_add(r, &a->wire, a->came_wire);
	a->max_bytes = a->came_bytes > a->max_bytes ? a->came_bytes : a->max_bytes;
}

static void sent_to(struct record *r, struct rec_answer *a, const struct ev *e)
{
	if (a->asked) { // this is a refresh, or XON
		more_came(a, e->pfc_tx.rx_bytes, e->pfc_tx.rx_frames);
		if (e->type == EV_XON_TX)
			answered(r, a, e);
	} else if (e->type == EV_XOFF_TX) {
		a->asked = true;
		a->came_bytes = a->came_wire = 0;
		a->bytes = e->pfc_tx.rx_bytes;
		a->frames = e->pfc_tx.rx_frames;
	}
}

uint64_t record_still_comes(const struct rec_port *p, unsigned prio, tstamp now)
{
	struct rec_answer so_far;
	uint32_t bytes = 0, frames = 0;

	if (!p->sw || !p->episodes)
		return 0;
	so_far = p->episodes[PAUSE_PRIOS + prio].answer;
	if (!so_far.asked || now >= p->episodes[PAUSE_PRIOS + prio].until)
		return 0;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		struct sw_class_stats s;

		if (c != prio && !p->tx->whole)
			continue;
		s = sw_class_stats(p->sw, p->port, c);
		bytes += (uint32_t)s.rx_bytes;
		frames += (uint32_t)s.rx_frames;
	}
	more_came(&so_far, bytes, frames);
	return so_far.came_wire;
}

// When the time that an XOFF asks for is over. The reference simulator's runs out at XON only.
static tstamp asked_until(const struct record *r, const struct rec_port *p, const struct ev *e)
{
	return r->scene->hpcc_sim ? TSTAMP_NEVER : e->t + e->pfc_tx.quanta * p->tx->quantum_ps;
}

static void pfc_sent(struct record *r, const struct rec_port *p, const struct ev *e)
{
	struct rec_episodes *sent = p->episodes + PAUSE_PRIOS;
	unsigned vector = e->pfc_tx.enable;
	// A frame for several priorities has the counters of all of them together, unless they are
	// of the whole link. So after an XON for several priorities the bytes of each are unknown.
	bool several = vector & (vector - 1) && !e->pfc_tx.whole_link;

	for (; vector; vector &= vector - 1) {
		struct rec_answer *a = &sent[__builtin_ctz(vector)].answer;

		if (!several)
			sent_to(r, a, e);
		else if (e->type == EV_XON_TX)
			a->asked = false;
	}
}

tstamp rec_pause_part(const struct record *r, const struct rec_episodes *e, tstamp t)
{
	return e->began == TSTAMP_NEVER ? 0
					: tstamp_since(t, tstamp_max(e->began, record_window(r)));
}

static struct rec_episodes *episodes(struct record *r, struct rec_port *p)
{
	if (p->episodes)
		return p->episodes;
	p->episodes = calloc(REC_EPISODES, sizeof(*p->episodes));
	if (!p->episodes) {
		record_fail(r, -ENOMEM, "no memory for pause lengths");
		return NULL;
	}
	for (unsigned i = 0; i < REC_EPISODES; i++)
		p->episodes[i].began = p->episodes[i].until = TSTAMP_NEVER;
	return p->episodes;
}

static void note_ended(struct record *r, struct rec_episodes *e, tstamp t)
{
	double sum = record_sum_last(&e->ended);

	record_sum_add(r, &e->ended, e->began, sum);
	record_sum_add(r, &e->ended, t, sum + (double)tstamp_since(t, e->began));
}

static void pause_ended(struct record *r, struct rec_episodes *e, bool of_host, tstamp t)
{
	if (e->began == TSTAMP_NEVER)
		return;
	if (t >= record_window(r))
		record_hist_add(r, &e->length, tstamp_since(t, e->began));
	if (of_host)
		note_ended(r, e, t);
	e->longest = tstamp_max(e->longest, rec_pause_part(r, e, t));
	e->began = TSTAMP_NEVER;
}

// A priority (received: 0..7, sent: 8..15) goes into or out of pause; going in twice is a refresh.
void record_pause(struct record *r, struct rec_port *p, unsigned i, bool on, tstamp t)
{
	struct rec_episodes *e = episodes(r, p);

	if (!e)
		return;
	e += i;
	if (!on)
		pause_ended(r, e, !p->sw && i < PAUSE_PRIOS, t);
	else if (e->began == TSTAMP_NEVER)
		e->began = t;
}

// No event tells that the time of an XOFF that was sent is over: the peer is free to go on.
static void run_out(struct record *r, struct rec_episodes *e, tstamp now)
{
	if (now < e->until)
		return;
	pause_ended(r, e, false, e->until);
	e->answer.asked = false;
	e->until = TSTAMP_NEVER;
}

void record_pauses_sent(struct record *r, struct rec_port *p, const struct ev *e)
{
	struct rec_episodes *sent = episodes(r, p);

	if (!sent)
		return;
	sent += PAUSE_PRIOS;
	for (unsigned left = e->pfc_tx.enable; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);

		p->pfc_seen[prio] += !e->pfc_tx.whole_link;
		run_out(r, &sent[prio], e->t);
		record_pause(r, p, PAUSE_PRIOS + prio, e->type == EV_XOFF_TX, e->t);
		sent[prio].until = e->type == EV_XOFF_TX ? asked_until(r, p, e) : TSTAMP_NEVER;
	}
	if (p->sw)
		pfc_sent(r, p, e);
}

void record_pauses_finish(struct record *r, tstamp end)
{
	for (unsigned i = 0; i < r->n_ports; i++)
		for (unsigned k = PAUSE_PRIOS; r->port[i].episodes && k < REC_EPISODES; k++)
			if (r->port[i].episodes[k].until <= end)
				pause_ended(r, &r->port[i].episodes[k], false,
					r->port[i].episodes[k].until);
}

void record_link_changed(struct rec_port *p)
{
	for (unsigned prio = 0; p->episodes && prio < PAUSE_PRIOS; prio++)
		p->episodes[PAUSE_PRIOS + prio].answer.asked = false;
}
