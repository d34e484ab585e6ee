// SPDX-License-Identifier: BSD-3-Clause
// The NIC and PFC: effects of received frames, at once or after the response time, and MAC control
// frames by command.
#include <errno.h>
#include <string.h>

#include "int.h"

static void nic_obey_pfc(struct nic *nic, uint8_t enable, const uint16_t *quanta, tstamp now)
{
	uint8_t changed, paused;

	if (now >= nic->pr.next_expiry)
		nic_resumed(nic, now);
	changed = pause_rx_set(&nic->pr, enable, quanta, now);
	paused = nic->pr.paused;
	nic_stop_queues(nic);
	if (changed)
		eport_starve(&nic->e);
	for (unsigned left = changed; left; left &= left - 1) {
		unsigned cls = (unsigned)__builtin_ctz(left);
		bool on = paused >> cls & 1;
		struct ev *ev = ev_put(nic->events, on ? EV_PAUSE_RX : EV_RESUME_RX, now);

		if (on)
			nic_shut(nic, nic->queue_of[cls], now);
		else
			nic_open(nic, nic->queue_of[cls], now);
		if (ev) {
			ev->cls = (uint8_t)cls;
			ev->pause.quanta = quanta[cls];
			ev->pause.with_class_0 = cls && pause_rx_whole(&nic->pr, changed);
		}
	}
}

// The frame arrived at `came`, and the NIC sees it now.
static void obey_soon(
	struct nic *nic, uint8_t enable, const uint16_t *quanta, tstamp came, tstamp now)
{
	if (nic->response.delay_ps) {
		pause_response_put(&nic->response, enable, quanta, came);
		return;
	}
	pause_rx_late(&nic->pr, came, now);
	nic_obey_pfc(nic, enable, quanta, now);
}

// Counts a pause from another address than the peer's; it is obeyed all the same.
static void count_stranger(struct nic *nic, const struct pkt *p)
{
	if (nic->s.knows_far)
		nic->s.pause_stranger_frames +=
			memcmp(p->hdr->src, nic->p.far_mac, sizeof(nic->p.far_mac)) != 0;
}

void nic_rx_pfc(struct nic *nic, const struct pkt *p, tstamp now)
{
	const struct pkt_pfc *f = &p->u.pfc;

	count_stranger(nic, p);
	// Without a class enabled it says nothing (measuring.md M1: invalid).
	nic->s.pfc_invalid_frames += !f->enable;
	pause_rx_count(&nic->pr, f->enable, f->quanta, now);
	obey_soon(nic, f->enable & nic->pfc_mask, f->quanta, p->when, now);
}

static void obey_pause(struct nic *nic, const struct pkt *p, tstamp now)
{
	uint16_t quanta[PAUSE_PRIOS];

	for (unsigned c = 0; c < PAUSE_PRIOS; c++)
		quanta[c] = p->u.pfc.quanta[0];
	if (nic->p.pause_honour)
		obey_soon(nic, 0xff, quanta, p->when, now);
}

void nic_rx_pause(struct nic *nic, const struct pkt *p, tstamp now)
{
	nic->s.pause_rx_frames++;
	count_stranger(nic, p);
	obey_pause(nic, p, now);
}

void nic_rx_pause_copy(struct nic *nic, const struct pkt *p, tstamp now)
{
	nic->s.rx_frames--;
	nic->s.rx_bytes -= p->len + PKT_FCS;
	if (p->kind == PKT_PFC)
		obey_soon(nic, p->u.pfc.enable & nic->pfc_mask, p->u.pfc.quanta, p->when, now);
	else
		obey_pause(nic, p, now);
}

void nic_pause_response(struct nic *nic, tstamp now)
{
	const struct pause_response_frame *f;

	while ((f = pause_response_get(&nic->response, now))) {
		pause_rx_late(&nic->pr, f->at, now);
		nic_obey_pfc(nic, f->enable, f->quanta, f->at);
	}
}

int nic_mac_begin(struct nic *nic, const struct ctl *ctl, tstamp now)
{
	const struct ctl_mac *frame = ctl->with;

	if (!frame || !ctl->a || !ctl->b)
		return -EINVAL;
	nic->mac = (struct nic_mac){now, ctl->a, ctl->b, frame};
	return 0;
}

// Sends the next frame of the event mac_frames. The next one is due a period after this one was
// due, so lateness does not add up.
void nic_mac_put(struct nic *nic, tstamp now)
{
	struct nic_mac *m = &nic->mac;
	struct pkt *p = pkt_get_ctl(nic->stack);

	if (!p) {
		nic->desc_at = now + nic->frame_ps;
		return;
	}
	*p = (struct pkt){
		.hdr = &m->frame->hdr,
		.when = now,
		.born = now,
		.len = m->frame->len,
		.kind = m->frame->kind,
		.in_port = PKT_NO_PORT,
		.u.pfc = m->frame->f,
	};
	m->left--;
	m->next = m->left ? m->next + m->period : TSTAMP_NEVER;
	nic->s.originated_frames++;
	mac_left(&nic->pt, nic->events, &nic->s.pause_tx_frames, p, now);
	eport_put_ctl(&nic->e, p);
}

tstamp nic_urgent(const struct nic *nic, unsigned port)
{
	tstamp t = tstamp_min(pause_tx_deadline(&nic->pt), nic->mac.next);

	(void)port;
	if (nic->e.nonempty >> EPORT_CTL & 1)
		t = 0;
	return !nic->up || t == TSTAMP_NEVER ? TSTAMP_NEVER : tstamp_max(t, eport_free_at(&nic->e));
}

uint8_t nic_pauses(const struct nic *nic, unsigned port, tstamp now)
{
	uint8_t stopped = nic_queues_of(nic, pause_rx_at(&nic->pr, now)), classes = 0;

	(void)port;
	for (unsigned c = 0; stopped && c < PKT_CLASSES; c++)
		classes |= (uint8_t)((stopped >> nic->queue_of[c] & 1) << c);
	return classes;
}
