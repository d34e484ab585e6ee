// SPDX-License-Identifier: BSD-3-Clause
// The replaying host: recorded frames at their instants onto one link, what comes back is counted.
#include "replay.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "algo/eport.h"
#include "wire/frame.h"

// A place in the loops of the capture.
struct cursor {
	uint32_t i, loop;
	tstamp base; // instant of the loop's first frame
	tstamp at;   // of the frame; TSTAMP_NEVER past the last loop
};

struct replay {
	struct replay_params p;
	struct pkt_stack *stack;
	struct ev_ring *events;
	struct node_touched touched;
	struct eport_cfg ecfg;
	struct eport e; // the serializer; nothing is queued in it
	struct pause_rx pr;
	struct cursor send, due; // next to send; next to become due
	tstamp now, deadline, desc_at;
	bool up;
	struct replay_stats s;
	struct hist *late; // NULL: a sink
	uint32_t longest;  // of the capture
};

static const struct stat_row rows[] = {
	STAT_ROW(struct replay_stats, wanted_frames, "frames", "due so far"),
	STAT_ROW(struct replay_stats, tx_frames, "frames", "sent by the replay"),
	STAT_ROW(struct replay_stats, tx_bytes, "bytes", "sent, with FCS"),
	STAT_ROW(struct replay_stats, rx_frames, "frames", "received by this host"),
	STAT_ROW(struct replay_stats, rx_bytes, "bytes", "received, with FCS"),
	STAT_ROW(struct replay_stats, rx_ce_frames, "frames", "received with CE"),
	STAT_ROW(struct replay_stats, late_frames, "frames", "left later than wanted"),
	STAT_WHOLE(struct replay_stats, late_max_ps, "ps", "worst lateness"),
	STAT_ROW(struct replay_stats, late_sum_ps, "ps", "over late_frames"),
	STAT_WHOLE(struct replay_stats, first_tx, "ps", "instant of the first frame"),
	STAT_WHOLE(struct replay_stats, last_tx, "ps", "instant of the last frame"),
	STAT_ROW(struct replay_stats, no_desc, "events", "a frame waited for a descriptor"),
	STAT_ROW(struct replay_stats, malformed_frames, "frames", "sent, though malformed"),
};

const struct stat_table replay_stat_table = {"replay", rows, sizeof(rows) / sizeof(rows[0])};

static bool frames_fit(const struct replay_params *p, const struct pkt_stack *stack)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (!p->frame[i].len || p->frame[i].len > stack->room || !stack->data_off)
			return false;
		if (i && p->frame[i].at < p->frame[i - 1].at)
			return false;
	}
	return true;
}

static void cursor_set(const struct replay_params *p, struct cursor *c)
{
	c->at = c->loop < p->loops ? tstamp_add(c->base, p->frame[c->i].at) : TSTAMP_NEVER;
}

static void cursor_next(const struct replay_params *p, struct cursor *c)
{
	if (++c->i == p->n) {
		c->base = tstamp_add(c->at, p->loop_gap_ps);
		c->i = 0;
		c->loop++;
	}
	cursor_set(p, c);
}

static void reckon(struct replay *r)
{
	tstamp send_at = tstamp_max(r->send.at, tstamp_max(eport_free_at(&r->e), r->desc_at));

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

	if (params->rate < RATE_MIN || (params->n && !params->loops) || !frames_fit(params, stack))
		return -EINVAL;

	int rc = eport_cfg_init(&ecfg, &ep);
	struct replay *r = rc ? NULL : calloc(1, sizeof(*r));

	if (!r)
		return rc ? rc : -ENOMEM;
	r->late = params->n ? malloc(sizeof(*r->late)) : NULL;
	if (params->n && !r->late) {
		free(r);
		return -ENOMEM;
	}
	if (r->late)
		hist_init(r->late);
	r->p = *params;
	r->longest = PKT_MIN_LEN;
	for (unsigned i = 0; i < params->n; i++)
		r->longest = params->frame[i].len > r->longest ? params->frame[i].len : r->longest;
	r->stack = stack;
	r->events = events;
	r->up = true;
	r->ecfg = ecfg;
	eport_init(&r->e, &r->ecfg); // without histograms it cannot fail
	pause_rx_init(&r->pr, params->rate, params->pause_honour ? 0xff : params->pfc_obey, false);
	r->send.base = params->start;
	r->send.at = TSTAMP_NEVER;
	if (params->n)
		cursor_set(&r->p, &r->send);
	r->due = r->send;
	reckon(r);
	*out = r;
	return 0;
}

void replay_fini(struct replay *r)
{
	if (!r)
		return;
	eport_fini(&r->e);
	free(r->late);
	free(r);
}

// Counts together the rounds that are due as a whole before `until`: there may be any number of
// them, all at one instant where capture and gap take no time. False where the next one to be
// counted is not.
static bool rounds_due(struct replay *r, tstamp until)
{
	struct cursor *c = &r->due;
	tstamp took = r->p.frame[r->p.n - 1].at, last = tstamp_add(c->base, took);
	tstamp each = tstamp_add(took, r->p.loop_gap_ps);
	uint64_t rounds = r->p.loops - c->loop;

	if (c->i || last >= until)
		return false;
	if (each && (until - 1 - last) / each + 1 < rounds)
		rounds = (until - 1 - last) / each + 1;
	r->s.wanted_frames += rounds * r->p.n;
	c->base += rounds * each;
	c->loop += (uint32_t)rounds;
	cursor_set(&r->p, c);
	return true;
}

// What is due before `until` is wanted.
static void want(struct replay *r, tstamp until)
{
	while (r->due.at < until) {
		if (rounds_due(r, until))
			continue;
		r->s.wanted_frames++;
		cursor_next(&r->p, &r->due);
	}
}

// What is due at this very instant may still leave at it: replay_tx counts it.
static tstamp advance(struct replay *r, tstamp now)
{
	r->now = tstamp_max(r->now, now);
	want(r, r->now);
	return r->now;
}

// An event of a priority, one of those that change at once; NULL where nobody wants it.
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

// PAUSE stops every priority, PFC still only those that have it.
static void rx_mac(struct replay *r, const struct pkt *p, tstamp now)
{
	const struct pkt_pfc *f = &p->u.pfc;
	uint16_t quanta[PAUSE_PRIOS];

	if (p->kind == PKT_PFC) {
		pause_rx_count(&r->pr, f->enable, f->quanta, now);
		replay_obey_pfc(r, r->p.pause_honour ? f->enable & r->p.pfc_obey : f->enable,
			f->quanta, now);
	} else if (p->kind == PKT_PAUSE && r->p.pause_honour) {
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

		r->s.rx_frames++;
		r->s.rx_bytes += p->len + PKT_FCS;
		r->s.rx_ce_frames += pkt_ecn(p) == ECN_CE;
		if (r->up)
			rx_mac(r, p, now);
		pkt_put(r->stack, p);
	}
	reckon(r);
	if (r->deadline != before)
		node_touch(&r->touched, 0);
}

// The next frame with its bytes; NULL where no descriptor is left.
static struct pkt *next_packet(struct replay *r, tstamp now)
{
	const struct replay_frame *f = &r->p.frame[r->send.i];
	struct pkt *p = pkt_get(r->stack);

	if (!p) {
		r->s.no_desc++;
		r->desc_at = now + eport_wire_time(&r->ecfg, f->len);
		return NULL;
	}
	*p = (struct pkt){
		.when = now,
		.born = now,
		.len = f->len,
		.in_port = PKT_NO_PORT,
		.data_off = r->stack->data_off,
	};
	memcpy(pkt_bytes(p), f->bytes, f->len);
	r->s.malformed_frames += frame_to_pkt(p, PKT_MAX_LEN) == PKT_BAD;
	return p;
}

static void count_tx(struct replay *r, const struct pkt *p, tstamp now)
{
	tstamp late = tstamp_since(now, r->send.at);

	if (!r->s.tx_frames++)
		r->s.first_tx = now;
	r->s.last_tx = now;
	r->s.tx_bytes += p->len + PKT_FCS;
	r->s.late_frames += late != 0;
	r->s.late_sum_ps += late;
	r->s.late_max_ps = tstamp_max(r->s.late_max_ps, late);
	hist_add(r->late, late, 1);
}

unsigned replay_tx(struct replay *r, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n = 0;
	struct pkt *p;

	(void)port;
	now = advance(r, now);
	want(r, now + 1);
	if (now >= r->pr.next_expiry)
		resume(r, now);
	while (r->up && !r->pr.paused && n < max && r->send.at <= now && eport_free(&r->e, now) &&
		(p = next_packet(r, now))) {
		burst[n++] = p;
		count_tx(r, p, now);
		cursor_next(&r->p, &r->send);
		// A capture of a sending host has short frames unpadded: the wire pads them.
		eport_sent(&r->e, p->len < PKT_MIN_LEN ? PKT_MIN_LEN : p->len, now);
	}
	reckon(r);
	assert(n == max || r->deadline > now);
	return n;
}

tstamp replay_deadline(const struct replay *r, unsigned port)
{
	(void)port;
	return r->deadline;
}

int replay_ctl(struct replay *r, const struct ctl *ctl, tstamp now)
{
	advance(r, now);
	if (ctl->type != CTL_LINK_DOWN && ctl->type != CTL_LINK_UP)
		return -EINVAL;
	r->up = ctl->type == CTL_LINK_UP;
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
	return &r->s;
}

const struct pause_rx *replay_pause_rx(const struct replay *r)
{
	return &r->pr;
}

const struct hist *replay_lateness(const struct replay *r)
{
	return r->late;
}

uint64_t replay_unsent(const struct replay *r)
{
	tstamp busy = eport_wire_time(&r->ecfg, r->longest) + r->p.tolerance_ps;

	return tstamp_since(r->now, r->send.at) > busy ? r->s.wanted_frames - r->s.tx_frames : 0;
}

void replay_account(struct replay *r, tstamp now)
{
	advance(r, now);
	pause_rx_account(&r->pr, now);
}
