// SPDX-License-Identifier: BSD-3-Clause
// The switch and PFC: pauses obeyed, XOFF and XON asked for by the buffer, storms by command.
#include <errno.h>
#include <stdlib.h>

#include "int.h"

// PAUSE stops a whole port, so all its classes must be in one group. Classes without a map have a
// group each, and are refused as well.
bool sw_pause_can(const struct sw_set *set)
{
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		const struct sw_cls *a = &set->cls[0], *b = &set->cls[c];

		if (set->pg_of[c] != set->pg_of[0] || b->pfc != a->pfc || b->quanta != a->quanta ||
			b->refresh_permille != a->refresh_permille)
			return false;
	}
	return true;
}

// The buffer asks the sender at `in` to stop a group.
void sw_xoff(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now)
{
	unsigned prios = in->set->prios_of[pg];

	if (!prios)
		return;
	for (; prios; prios &= prios - 1)
		pause_tx_xoff(&in->rare->ptx, (unsigned)__builtin_ctz(prios), now);
	sw_ctl_changed(sw, in);
}

// The buffer lets it go on, unless a storm holds it.
void sw_xon(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now)
{
	unsigned prios = in->set->prios_of[pg] & ~(unsigned)in->rare->storm;

	if (!prios)
		return;
	for (; prios; prios &= prios - 1)
		pause_tx_xon(&in->rare->ptx, (unsigned)__builtin_ctz(prios), now);
	sw_ctl_changed(sw, in);
}

// Makes the refresh due for the priorities in `bits` that are in XOFF.
static void refresh_now(struct sw_port *o, unsigned bits, tstamp now)
{
	for (unsigned left = o->rare->ptx.xoff & o->rare->ptx.told & bits; left; left &= left - 1)
		o->rare->ptx.refresh_at[__builtin_ctz(left)] = o->rare->ptx.next_refresh = now;
}

// Reports that a class may send again. `changed`: bitmap of all classes that change at this
// instant.
static void resumed(struct sw *sw, const struct sw_port *o, unsigned cls, uint8_t changed,
	enum ev_resume by, tstamp t)
{
	struct ev *ev = ev_put(sw->events, EV_RESUME_RX, t);

	if (ev) {
		ev->port = o->index;
		ev->cls = (uint8_t)cls;
		ev->pause.by = by;
		ev->pause.with_class_0 = cls && pause_rx_whole(&o->rare->prx, changed);
	}
}

static void expire(struct sw *sw, struct sw_port *o, tstamp now)
{
	uint8_t gone;

	if (now < o->rare->prx.next_expiry)
		return;
	gone = pause_rx_expire(&o->rare->prx, now);
	sw_blocked(sw, o);
	for (unsigned left = gone; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		resumed(sw, o, c, gone, EV_RESUME_EXPIRED, o->rare->prx.until[c]);
	}
}

int sw_response_init(struct sw_port *o, const struct sw_port_params *p)
{
	if (!p->pfc_response)
		return 0;
	o->response = malloc(sizeof(*o->response));
	return o->response ? pause_response_init(o->response, p->rate, p->pfc_response) : -ENOMEM;
}

void sw_response_fini(struct sw_port *o)
{
	if (o->response)
		pause_response_fini(o->response);
	free(o->response);
}

// A PFC or PAUSE frame takes effect at `o`.
static void sw_obey_pfc(
	struct sw *sw, struct sw_port *o, uint8_t enable, const uint16_t *quanta, tstamp now)
{
	uint8_t changed;

	expire(sw, o, now);
	changed = pause_rx_set(&o->rare->prx, enable, quanta, now);
	sw_blocked(sw, o);
	for (unsigned left = changed; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);
		struct ev *ev;

		if (!(o->rare->prx.paused >> c & 1)) {
			resumed(sw, o, c, changed, EV_RESUME_XON, now);
		} else if ((ev = ev_put(sw->events, EV_PAUSE_RX, now))) {
			ev->port = o->index;
			ev->cls = (uint8_t)c;
			ev->pause.quanta = quanta[c];
			ev->pause.with_class_0 = c && pause_rx_whole(&o->rare->prx, changed);
		}
	}
}

void sw_pause(struct sw *sw, struct sw_port *o, uint8_t enable, const uint16_t *quanta, tstamp came,
	tstamp now)
{
	if (o->response) {
		pause_response_put(o->response, enable, quanta, came);
	} else {
		pause_rx_late(&o->rare->prx, came, now);
		sw_obey_pfc(sw, o, enable, quanta, now);
	}
	sw_timer_changed(sw, o);
	sw_port_changed(sw, o);
}

// Frames whose effect was late, each at its instant.
static void obey_late(struct sw *sw, struct sw_port *o, tstamp now)
{
	const struct pause_response_frame *f;

	while ((f = pause_response_get(o->response, now))) {
		pause_rx_late(&o->rare->prx, f->at, now);
		sw_obey_pfc(sw, o, f->enable, f->quanta, f->at);
	}
}

static void storm_over(struct sw *sw, struct sw_port *o, unsigned cls, tstamp now)
{
	const struct sw_cls *k = &o->set->cls[cls];

	o->rare->storm &= (uint8_t) ~(1u << cls);
	pause_tx_set(&o->rare->ptx, cls, k->quanta, k->refresh_permille);
	if (!k->pfc || !sw->mmu.pg[o->index * MMU_PGS + o->set->pg_of[cls]].xoff)
		pause_tx_xon(&o->rare->ptx, cls, now);
}

void sw_pause_timers(struct sw *sw, struct sw_port *o, tstamp now)
{
	if (o->response)
		obey_late(sw, o, now);
	expire(sw, o, now);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (o->rare->storm >> c & 1 && now >= o->rare->storm_end[c])
			storm_over(sw, o, c, now);
}

// Fills the enable vector of an event, and the bytes and frames received of its class, or of all
// classes if the event is about the whole link. An event about several classes has no such sums.
static void note_pause(struct sw *sw, struct ev *ev, const struct sw_port *o, uint8_t classes)
{
	ev->port = o->index;
	ev->pfc_tx.enable = classes;
	ev->pfc_tx.whole_link = o->rare->ptx.whole;
	if (!o->rare->ptx.whole && classes & (classes - 1))
		return;
	for (unsigned left = classes; left; left &= left - 1) {
		const uint64_t *count = sw_in(sw, o, (unsigned)__builtin_ctz(left));

		ev->pfc_tx.rx_bytes += (uint32_t)count[SW_IN_BYTES];
		ev->pfc_tx.rx_frames += (uint32_t)count[SW_IN_FRAMES];
	}
}

// Priorities with different pause times have events of their own.
static void pfc_sent(struct sw *sw, struct sw_port *o, const struct pkt_pfc *f, tstamp now)
{
	uint8_t xoff = pkt_pfc_off(f), xon = f->enable & (uint8_t)~xoff;
	struct ev *ev;

	o->rare->stats.originated_frames++;
	o->rare->stats.pause_tx_frames += o->rare->ptx.whole;
	while (xoff) {
		uint8_t alike = pkt_pfc_alike(f, xoff);

		if ((ev = ev_put(sw->events, EV_XOFF_TX, now))) {
			ev->pfc_tx.quanta = f->quanta[__builtin_ctz(alike)];
			note_pause(sw, ev, o, alike);
		}
		sw_holders(sw, o, alike, now);
		xoff &= (uint8_t)~alike;
	}
	if (xon && (ev = ev_put(sw->events, EV_XON_TX, now)))
		note_pause(sw, ev, o, xon);
}

void sw_put_pfc(struct sw *sw, struct sw_port *o, tstamp now)
{
	struct pkt *p = sw_get_ctl(sw);

	if (!p) {
		o->rare->stats.pfc_no_desc++;
		o->ctl_at = now + eport_wire_time(o->e.cfg, PKT_MIN_LEN);
		return;
	}
	*p = (struct pkt){
		.hdr = &o->rare->pfc_hdr,
		.when = now,
		.born = now,
		.len = PKT_MIN_LEN,
		.kind = o->rare->ptx.whole ? PKT_PAUSE : PKT_PFC,
		.in_port = PKT_NO_PORT,
	};
	pause_tx_get(&o->rare->ptx, &p->u.pfc.enable, p->u.pfc.quanta, now);
	o->ctl_at = pause_tx_deadline(&o->rare->ptx);
	pfc_sent(sw, o, &p->u.pfc, now);
	eport_put_ctl(&o->e, p);
}

void sw_pfc_link(struct sw *sw, struct sw_port *o, tstamp now)
{
	if (o->response)
		pause_response_clear(o->response);
	expire(sw, o, now);
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (o->rare->prx.paused >> c & 1)
			o->rare->prx.until[c] = o->rare->prx.next_expiry = now;
	expire(sw, o, now);
	refresh_now(o, 0xff, now);
	sw_timer_changed(sw, o);
	sw_ctl_changed(sw, o);
}

int sw_storm(struct sw *sw, const struct ctl *ctl, tstamp now)
{
	if (sw->pause || ctl->port >= sw->n_ports || ctl->cls >= PKT_CLASSES || !ctl->quanta ||
		ctl->a <= now)
		return -EINVAL;

	struct sw_port *o = &sw->port[ctl->port];

	if (o->away)
		return 0;

	unsigned permille = o->set->cls[ctl->cls].refresh_permille;

	o->rare->storm |= (uint8_t)(1u << ctl->cls);
	o->rare->storm_end[ctl->cls] = ctl->a;
	pause_tx_set(&o->rare->ptx, ctl->cls, ctl->quanta, permille ? permille : 500);
	pause_tx_xoff(&o->rare->ptx, ctl->cls, now);
	refresh_now(o, 1u << ctl->cls, now); // where it was in XOFF: the new quanta now
	sw_timer_changed(sw, o);
	sw_ctl_changed(sw, o);
	return 0;
}

void sw_pause_adopt(struct sw *sw, struct sw_port *o, uint8_t classes, tstamp now)
{
	// A storm has quanta of its own until it is over.
	classes &= (uint8_t)~o->rare->storm;
	for (unsigned left = classes; left; left &= left - 1) {
		unsigned c = (unsigned)__builtin_ctz(left);

		pause_tx_set(
			&o->rare->ptx, c, o->set->cls[c].quanta, o->set->cls[c].refresh_permille);
	}
	refresh_now(o, classes, now);
	sw_ctl_changed(sw, o);
}
