// SPDX-License-Identifier: BSD-3-Clause
// Which classes a port has stopped at its peer, as the PFC and PAUSE frames say that leave.
#include "told.h"

void mbuf_told_note(struct mbuf_told *t, const struct pkt *p)
{
	uint8_t classes = atomic_load_explicit(&t->classes, memory_order_relaxed);

	if (p->kind == PKT_PAUSE) {
		atomic_store_explicit(&t->whole, p->u.pfc.quanta[0] != 0, memory_order_relaxed);
		return;
	}
	for (unsigned left = p->u.pfc.enable; left; left &= left - 1) {
		if (p->u.pfc.quanta[__builtin_ctz(left)])
			classes |= (uint8_t)(left & -left);
		else
			classes &= (uint8_t) ~(left & -left);
	}
	atomic_store_explicit(&t->classes, classes, memory_order_relaxed);
}

void mbuf_told_unsent(struct mbuf_told *t, const struct pkt *p)
{
	if (p->kind == PKT_PAUSE && !p->u.pfc.quanta[0])
		atomic_store(&t->whole, true);
	for (unsigned left = p->kind == PKT_PFC ? p->u.pfc.enable : 0; left; left &= left - 1)
		if (!p->u.pfc.quanta[__builtin_ctz(left)])
			atomic_fetch_or(&t->classes, (uint8_t)(left & -left));
}
