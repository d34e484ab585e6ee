// SPDX-License-Identifier: BSD-3-Clause
// MAC control frames of a capture, or made to order, as the peer's pause timers see them.
#include "mac.h"

void mac_told(struct ev_ring *events, const struct pkt_pfc *f, bool whole, tstamp now)
{
	uint8_t off = pkt_pfc_off(f), on = f->enable & (uint8_t)~off;
	struct ev *ev;

	while (off) {
		uint8_t alike = pkt_pfc_alike(f, off);

		ev = ev_put(events, EV_XOFF_TX, now);
		if (ev) {
			ev->pfc_tx.enable = alike;
			ev->pfc_tx.whole_link = whole;
			ev->pfc_tx.quanta = f->quanta[__builtin_ctz(alike)];
		}
		off &= (uint8_t)~alike;
	}
	ev = on ? ev_put(events, EV_XON_TX, now) : NULL;
	if (ev) {
		ev->pfc_tx.enable = on;
		ev->pfc_tx.whole_link = whole;
	}
}

// PAUSE has one time for all priorities.
static void pause_left(
	struct pause_tx *t, struct ev_ring *events, const struct pkt_pfc *f, tstamp now)
{
	struct pkt_pfc all = {.enable = 0xff};

	for (unsigned c = 0; c < PKT_CLASSES; c++)
		all.quanta[c] = f->quanta[0];
	pause_tx_count_whole(t, all.quanta, now);
	mac_told(events, &all, true, now);
}

void mac_left(struct pause_tx *t, struct ev_ring *events, uint64_t *pauses, const struct pkt *p,
	tstamp now)
{
	if (p->kind == PKT_PFC) {
		pause_tx_count(t, p->u.pfc.enable, p->u.pfc.quanta, now);
		mac_told(events, &p->u.pfc, false, now);
	} else if (p->kind == PKT_PAUSE) {
		++*pauses;
		pause_left(t, events, &p->u.pfc, now);
	}
}
