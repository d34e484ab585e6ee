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

// Returns whether frames go to the group address, as PFC and PAUSE must.
static bool is_to_group(const struct hdr *h)
{
	static const uint8_t group[6] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01};

	return !memcmp(h->dst, group, sizeof(group));
}

// Peers take the frame for what its opcode and its address say (802.3 annex 31B.3.3).
static uint8_t mac_kind(const struct hdr *h, uint16_t opcode)
{
	if (!is_to_group(h))
		return PKT_MACCTL;
	return opcode == MACCTL_PFC ? PKT_PFC : opcode == MACCTL_PAUSE ? PKT_PAUSE : PKT_MACCTL;
}

int nic_mac_begin(struct nic *nic, const struct ctl *ctl, tstamp now)
{
	const struct ctl_mac_fields *f = ctl->with;
	struct nic_mac *m = &nic->mac;
	enum ctl_mac what = (enum ctl_mac)(ctl->id & 0xff);
	uint16_t opcode = what == CTL_MAC_PAUSE ? MACCTL_PAUSE : MACCTL_PFC;

	if (what > CTL_MAC_PFC_WRONG_DA || !ctl->a || !ctl->b)
		return -EINVAL;
	*m = (struct nic_mac){
		.next = now,
		.period = ctl->a,
		.left = ctl->b,
		.f = {.enable = ctl->cls, .enable_high = f ? f->enable_high : 0},
		.hdr = nic->pfc_hdr,
	};
	// Times stand beside classes that are not enabled too: what is not enabled has no effect.
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		m->f.quanta[c] = f ? f->quanta[c] : ctl->quanta;
	if (what == CTL_MAC_PFC_WRONG_DA)
		memcpy(m->hdr.dst, nic->p.mac, sizeof(m->hdr.dst));
	if (f && memcmp(f->dst, (const uint8_t[6]){0}, sizeof(f->dst)) != 0)
		memcpy(m->hdr.dst, f->dst, sizeof(m->hdr.dst));
	if (ctl->id & CTL_MAC_ZERO_SOURCE)
		memset(m->hdr.src, 0, sizeof(m->hdr.src));
	m->hdr.sport = f && f->opcode ? f->opcode : opcode;
	m->kind = mac_kind(&m->hdr, m->hdr.sport);
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
		.hdr = &m->hdr,
		.when = now,
		.born = now,
		.len = PKT_MIN_LEN,
		.kind = m->kind,
		.in_port = PKT_NO_PORT,
		.u.pfc = m->f,
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
