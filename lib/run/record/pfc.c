// SPDX-License-Identifier: BSD-3-Clause
// How the peer of a switch's port obeys (measures.md M2): what still came of a priority after its
// XOFF had left.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

static void answered(struct record *r, struct rec_answer *a, const struct ev *e)
{
	// Counters of 32 bits, which may have gone round.
	uint32_t bytes = e->id - a->bytes, frames = e->c - a->frames;

	a->asked = false;
	if (e->t < record_window(r))
		return;
	if (!a->wire && !(a->wire = calloc(1, sizeof(*a->wire)))) {
		record_fail(r, -ENOMEM, "no memory for answers to XOFF");
		return;
	}
	a->n++;
	hist_add(a->wire, bytes + (uint64_t)frames * (PKT_WIRE - PKT_FCS), 1);
	a->max_bytes = bytes > a->max_bytes ? bytes : a->max_bytes;
}

static void sent_to(struct record *r, struct rec_answer *a, const struct ev *e)
{
	if (e->type == EV_XON_TX && a->asked) {
		answered(r, a, e);
	} else if (e->type == EV_XOFF_TX && !a->asked) {
		a->asked = true;
		a->bytes = e->id;
		a->frames = e->c;
	}
}

void record_pfc_sent(struct record *r, struct rec_episodes *sent, const struct ev *e)
{
	unsigned vector = (unsigned)e->a & 0xff;

	// Of several priorities in one frame the counters are not told apart; those of the whole
	// link are.
	if (vector & (vector - 1) && e->a != EV_WHOLE_LINK)
		return;
	for (; vector; vector &= vector - 1)
		sent_to(r, &sent[__builtin_ctz(vector)].answer, e);
}
