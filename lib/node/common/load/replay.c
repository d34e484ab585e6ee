// SPDX-License-Identifier: BSD-3-Clause
// The replaying host: sends recorded frames at their instants to one link, and counts received
// ones.
#include "replay.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "eport/eport.h"
#include "frame/frame.h"
#include "mac.h"

struct replay {
	struct replay_params p;
	struct pkt_stack *stack;
	struct ev_ring *events;
	struct node_touched touched;
	struct eport_cfg ecfg;
	struct eport e; // the serializer; nothing is queued in it
	struct pause_rx pr;
	struct pause_tx pt;                        // of the capture's PFC and PAUSE frames
	uint64_t pause_rx_frames, pause_tx_frames; // 802.3x
	struct player play;
	tstamp now, deadline, desc_at;
	bool up, quiet, paused;
};

static void reckon(struct replay *r)
{
	tstamp send_at =
		tstamp_max(player_deadline(&r->play), tstamp_max(eport_free_at(&r->e), r->desc_at));

	r->deadline = r->pr.next_expiry;
	if (r->up && !r->pr.paused)
		r->deadline = tstamp_min(r->deadline, send_at);
}

int replay_init(struct replay **out, const struct replay_params *params, struct pkt_stack *stack,
	struct ev_ring *events)
{
	struct eport_params ep = {
		.rate = params->rate,
		.mtu = PKT_MAX_LEN,
		.framing = {.queue_extra = PKT_FCS, .wire_extra = PKT_WIRE},
		.tolerance_ps = params->tolerance_ps,
	};
	struct eport_cfg ecfg;

	const struct player_params *pp = &params->play;

	if (params->rate < RATE_MIN)
		return -EINVAL;
	if (pp->ring && (!pp->longest || pp->longest > stack->room || !stack->data_off))
		return -EINVAL;

	int rc = eport_cfg_init(&ecfg, &ep);
	struct replay *r = rc ? NULL : calloc(1, sizeof(*r));

	if (!r)
		return rc ? rc : -ENOMEM;
	rc = player_init(&r->play, pp);
	if (rc) {
		free(r);
		return rc;
	}
	r->p = *params;
	r->stack = stack;
	r->events = events;
	r->up = true;
	r->ecfg = ecfg;
	eport_init(&r->e, &r->ecfg, NULL);
	pause_rx_init(&r->pr, params->rate, params->pause_honour ? 0xff : params->pfc_obey, false);
	pause_tx_init(&r->pt, params->rate);
	reckon(r);
	*out = r;
	return 0;
}

void replay_fini(struct replay *r)
{
	if (!r)
		return;
	player_fini(&r->play);
	free(r);
}

// A frame that is due at this very instant may still leave at it, so replay_tx() counts it.
static tstamp advance(struct replay *r, tstamp now)
{
	r->now = tstamp_max(r->now, now);
	player_want(&r->play, r->now);
	return r->now;
}

// The event of priority `prio`, where `changed` holds all priorities that change at this instant;
// NULL: nobody asked for this type of event.
static struct ev *pause_event(
	struct replay *r, enum ev_type type, unsigned prio, uint8_t changed, tstamp t)
{
	struct ev *ev = ev_put(r->events, type, t);

	if (ev) {
		ev->cls = (uint8_t)prio;
		ev->pause.with_class_0 = prio && pause_rx_whole(&r->pr, changed);
	}
	return ev;
}

static void resume(struct replay *r, tstamp now)
{
	uint8_t resumed = pause_rx_expire(&r->pr, now);

	for (unsigned left = resumed; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);

		struct ev *ev = pause_event(r, EV_RESUME_RX, prio, resumed, r->pr.until[prio]);

		if (ev)
			ev->pause.by = EV_RESUME_EXPIRED;
	}
}

static void replay_obey_pfc(struct replay *r, uint8_t enable, const uint16_t *quanta, tstamp now)
{
	uint8_t changed;

	if (now >= r->pr.next_expiry)
		resume(r, now);
	changed = pause_rx_set(&r->pr, enable, quanta, now);
	for (unsigned left = changed; left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);

		bool on = r->pr.paused >> prio & 1;
		struct ev *ev = pause_event(r, on ? EV_PAUSE_RX : EV_RESUME_RX, prio, changed, now);

		if (ev)
			ev->pause.quanta = quanta[prio];
	}
}

// PAUSE stops every priority, PFC only the priorities that have it.
static void rx_mac(struct replay *r, const struct pkt *p, tstamp now)
{
	const struct pkt_pfc *f = &p->u.pfc;
	uint16_t quanta[PAUSE_PRIOS];

	if (p->kind == PKT_PFC) {
		pause_rx_count(&r->pr, f->enable, f->quanta, now);
		replay_obey_pfc(r, r->p.pause_honour ? f->enable & r->p.pfc_obey : f->enable,
			f->quanta, now);
	} else if (p->kind == PKT_PAUSE) {
		r->pause_rx_frames++;
		if (!r->p.pause_honour)
			return;
		for (unsigned c = 0; c < PAUSE_PRIOS; c++)
			quanta[c] = f->quanta[0];
		replay_obey_pfc(r, 0xff, quanta, now);
	}
}

void replay_rx(struct replay *r, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	tstamp before = r->deadline;

	(void)port;
	now = advance(r, now);
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];

		r->play.s.rx_frames++;
		r->play.s.rx_bytes += p->len + PKT_FCS;
		r->play.s.rx_ce_frames += pkt_ecn(p) == ECN_CE;
		if (r->up)
			rx_mac(r, p, now);
		pkt_put(r->stack, p);
	}
	reckon(r);
	if (r->deadline != before)
		node_touch(&r->touched, 0);
}

#define AHEAD 4 // descriptors whose memory is fetched before they are filled

// Fetches a descriptor, which has not been used for a while, before it comes to the top of the
// stack.
static inline void fetch(const struct pkt_stack *s, uint32_t depth)
{
	uint8_t *p;

	if (s->n <= depth)
		return;
	p = (uint8_t *)s->slot[s->n - 1 - depth];
	__builtin_prefetch(p, 1);
	__builtin_prefetch(p + sizeof(struct pkt), 1);
	__builtin_prefetch(p + s->data_off, 1);
}

// Returns the next due frame with its bytes; NULL: none is due, or no descriptor is free.
static struct pkt *next_packet(struct replay *r, tstamp now)
{
	const struct replay_rec *rec = player_look(&r->play, now);
	tstamp due = player_deadline(&r->play);
	struct pkt *p = rec ? pkt_get(r->stack) : NULL;

	if (!p) {
		if (rec) {
			r->play.s.no_desc++;
			r->desc_at = now + eport_wire_time(&r->ecfg, rec->len);
		}
		return NULL;
	}
	player_take(&r->play, p, r->stack->data_off, now);
	p->when = now;
	player_sent(&r->play, p->len, due, now);
	mac_left(&r->pt, r->events, &r->pause_tx_frames, p, now);
	return p;
}

unsigned replay_tx(struct replay *r, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n = 0;
	struct pkt *p;

	(void)port;
	now = advance(r, now);
	player_want(&r->play, now + 1);
	if (now >= r->pr.next_expiry)
		resume(r, now);
	if (player_deadline(&r->play) <= now)
		for (unsigned i = 0; i < AHEAD; i++)
			fetch(r->stack, i);
	while (r->up && !r->pr.paused && n < max && eport_free(&r->e, now) &&
		(p = next_packet(r, now))) {
		burst[n++] = p;
		fetch(r->stack, AHEAD - 1);
		// A capture of a sending host has short frames unpadded: the wire pads them.
		eport_sent(&r->e, 0, p->len < PKT_MIN_LEN ? PKT_MIN_LEN : p->len, now);
	}
	if (n)
		player_give(&r->play);
	reckon(r);
	assert(n == max || r->deadline > now);
	return n;
}

tstamp replay_deadline(const struct replay *r, unsigned port)
{
	(void)port;
	return r->deadline;
}

uint8_t replay_pauses(const struct replay *r, unsigned port, tstamp now)
{
	(void)port;
	return pause_rx_at(&r->pr, now) ? 0xff : 0;
}

int replay_ctl(struct replay *r, const struct ctl *ctl, tstamp now)
{
	now = advance(r, now);
	if (ctl->type == CTL_LINK_DOWN || ctl->type == CTL_LINK_UP)
		r->up = ctl->type == CTL_LINK_UP;
	else if (ctl->type == CTL_QUIESCE || ctl->type == CTL_GO_ON)
		r->quiet = ctl->type == CTL_QUIESCE;
	else if (ctl->type == CTL_PAUSE || ctl->type == CTL_RESUME)
		r->paused = ctl->type == CTL_PAUSE;
	else
		return -EINVAL;
	player_hold(&r->play, r->quiet || r->paused, now);
	reckon(r);
	node_touch(&r->touched, 0);
	return 0;
}

struct node_touched *replay_touched(struct replay *r)
{
	return &r->touched;
}

const struct replay_stats *replay_stats(const struct replay *r)
{
	return &r->play.s;
}

const struct eport *replay_eport(const struct replay *r)
{
	return &r->e;
}

const struct player *replay_player(const struct replay *r)
{
	return &r->play;
}

const struct pause_rx *replay_pause_rx(const struct replay *r)
{
	return &r->pr;
}

const struct pause_tx *replay_pause_tx(const struct replay *r)
{
	return &r->pt;
}

const uint64_t *replay_pause_frames(const struct replay *r, bool sent)
{
	return sent ? &r->pause_tx_frames : &r->pause_rx_frames;
}

const struct hist *replay_lateness(const struct replay *r)
{
	return r->play.late;
}

uint64_t replay_unsent(const struct replay *r)
{
	tstamp busy = eport_wire_time(&r->ecfg, r->p.play.longest) + r->p.tolerance_ps;

	return player_unsent(&r->play, r->now, busy);
}

void replay_account(struct replay *r, tstamp now)
{
	advance(r, now);
	pause_rx_account(&r->pr, now);
	pause_tx_account(&r->pt, now);
}
