// SPDX-License-Identifier: BSD-3-Clause
// Pauses of each priority, received and sent (measures.md M1), and how the peer of a switch's port
// obeys (M2): what still came of a priority after its XOFF had left.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

static void answered(struct record *r, struct rec_answer *a, const struct ev *e)
{
	// Counters of 32 bits, which may have gone round.
	uint32_t bytes = e->pfc_tx.rx_bytes - a->bytes, frames = e->pfc_tx.rx_frames - a->frames;

	a->asked = false;
	if (e->t < record_window(r))
		return;
	a->n++;
	record_hist_add(r, &a->wire, bytes + (uint64_t)frames * (PKT_WIRE - PKT_FCS));
	a->max_bytes = bytes > a->max_bytes ? bytes : a->max_bytes;
}

static void sent_to(struct record *r, struct rec_answer *a, const struct ev *e)
{
	if (e->type == EV_XON_TX && a->asked) {
		answered(r, a, e);
	} else if (e->type == EV_XOFF_TX && !a->asked) {
		a->asked = true;
		a->bytes = e->pfc_tx.rx_bytes;
		a->frames = e->pfc_tx.rx_frames;
	}
}

static void pfc_sent(struct record *r, struct rec_episodes *sent, const struct ev *e)
{
	unsigned vector = e->pfc_tx.enable;

	// Of several priorities in one frame the counters are not told apart; those of the whole
	// link are.
	if (vector & (vector - 1) && !e->pfc_tx.whole_link)
		return;
	for (; vector; vector &= vector - 1)
		sent_to(r, &sent[__builtin_ctz(vector)].answer, e);
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
		p->episodes[i].began = TSTAMP_NEVER;
	return p->episodes;
}

// A priority (received: 0..7, sent: 8..15) goes into or out of pause; going in twice is a refresh.
void record_pause(struct record *r, struct rec_port *p, unsigned i, bool on, tstamp t)
{
	struct rec_episodes *e = episodes(r, p);

	if (!e)
		return;
	e += i;
	if (on && e->began == TSTAMP_NEVER) {
		e->began = t;
	} else if (!on && e->began != TSTAMP_NEVER) {
		if (t >= record_window(r))
			record_hist_add(r, &e->length, tstamp_since(t, e->began));
		e->began = TSTAMP_NEVER;
	}
}

void record_pauses_sent(struct record *r, struct rec_port *p, const struct ev *e)
{
	for (unsigned left = e->pfc_tx.enable; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);

		p->pfc_seen[prio] += !e->pfc_tx.whole_link;
		record_pause(r, p, PAUSE_PRIOS + prio, e->type == EV_XOFF_TX, e->t);
	}
	if (p->sw && p->episodes)
		pfc_sent(r, p->episodes + PAUSE_PRIOS, e);
}
