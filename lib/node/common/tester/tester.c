// SPDX-License-Identifier: BSD-3-Clause
// The tester as a node: frames in and out, commands, counters.
#include "tester.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "int.h"
#include "load/load.h"
#include "wire/eth.h"
#include "wire/pfc.h"

#define WHOLE 0x100u // beside the bits of classes: the link as a whole, by PAUSE

static const struct stat_row rows[] = {
	STAT_ROW(struct tester_stats, rx_frames, "frames", "received"),
	STAT_ROW(struct tester_stats, rx_bytes, "bytes", "received, with FCS"),
	STAT_ROW(struct tester_stats, tx_frames, "frames", "sent"),
	STAT_ROW(struct tester_stats, tx_bytes, "bytes", "sent, with FCS"),
	STAT_ROW(struct tester_stats, pause_rx_frames, "frames", "received: 802.3x PAUSE"),
	STAT_ROW(struct tester_stats, pause_tx_frames, "frames", "sent: 802.3x PAUSE"),
	STAT_ROW(struct tester_stats, unseen_frames, "frames",
		"in a step that had no room for their entries"),
	STAT_ROW(struct tester_stats, no_desc, "events", "a frame waited for a descriptor"),
};

const struct stat_table tester_stat_table = {"tester", rows, sizeof(rows) / sizeof(rows[0])};

// Whether data frames wait.
static bool waits(const struct tester *t)
{
	return t->quiet || t->paused;
}

static tstamp next_hold(const struct tester *t)
{
	tstamp next = TSTAMP_NEVER;

	for (unsigned i = 0; i < t->n_holds; i++)
		next = tstamp_min(next, t->hold[i].next);
	return next;
}

// The earliest instant at which a frame that is due at `next` can leave.
static tstamp leaves_at(const struct tester *t, tstamp next)
{
	if (!t->up || next == TSTAMP_NEVER)
		return TSTAMP_NEVER;
	return tstamp_max(next, tstamp_max(eport_free_at(&t->e), t->desc_at));
}

static void reckon(struct tester *t)
{
	t->deadline = leaves_at(t, tstamp_min(next_hold(t), tester_list_next(&t->list, waits(t))));
}

int tester_init(struct tester **out, const struct tester_params *params, struct pkt_stack *stack,
	struct ev_ring *events)
{
	const struct eport_params ep = {
		.rate = params->rate,
		.mtu = PKT_MAX_LEN,
		.framing = {.queue_extra = PKT_FCS, .wire_extra = PKT_WIRE},
		.tolerance_ps = params->tolerance_ps,
	};
	struct eport_cfg ecfg;
	struct tester *t;
	int rc = eport_cfg_init(&ecfg, &ep);

	if (rc || params->rate < RATE_MIN || params->ports > TESTER_PORTS)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->seq = calloc(UINT16_MAX + 1, sizeof(*t->seq));
	if (!t->seq || tester_list_init(&t->list)) {
		tester_fini(t);
		return -ENOMEM;
	}
	t->p = *params;
	t->stack = stack;
	t->events = events;
	t->up = true;
	t->ecfg = ecfg;
	eport_init(&t->e, &t->ecfg, NULL);
	pause_rx_init(&t->pr, params->rate, 0, false);
	pause_tx_init(&t->pt, params->rate);
	reckon(t);
	*out = t;
	return 0;
}

void tester_fini(struct tester *t)
{
	if (!t)
		return;
	tester_list_fini(&t->list);
	free(t->seq);
	free(t);
}

static tstamp advance(struct tester *t, tstamp now)
{
	t->now = tstamp_max(t->now, now);
	return t->now;
}

// It arrived when its last bit did, which may be before the call.
void tester_rx(struct tester *t, unsigned port, struct pkt **burst, unsigned n, tstamp now)
{
	(void)port;
	now = advance(t, now);
	for (unsigned i = 0; i < n; i++) {
		struct pkt *p = burst[i];

		t->s.rx_frames++;
		t->s.rx_bytes += p->len + PKT_FCS;
		t->s.pause_rx_frames += p->kind == PKT_PAUSE;
		if (p->kind == PKT_PFC)
			pause_rx_count(&t->pr, p->u.pfc.enable, p->u.pfc.quanta, now);
		tester_see(t, p, false, tstamp_min(p->when, now));
		pkt_put(t->stack, p);
	}
}

static unsigned kind_of(const struct tester_item *i)
{
	static const uint8_t usual[6];

	if (i->kind == TESTER_RELEASE)
		return i->opcode == MACCTL_PAUSE ? PKT_PAUSE : PKT_PFC;
	return pfc_kind(memcmp(i->dst, usual, 6) ? i->dst : pfc_dst, i->opcode);
}

// The header of an item's MAC control frames, a new one if no frame had it before; NULL: there is
// no room for one.
static const struct hdr *control_hdr(struct tester *t, const struct tester_item *i)
{
	static const uint8_t usual[6];
	struct hdr h = {.ethertype = ETH_P_MAC_CONTROL, .id = HDR_ID_NODE};
	unsigned k = 0;

	h.sport = kind_of(i) == PKT_MACCTL ? i->opcode : 0;
	memcpy(h.src, t->p.mac, sizeof(h.src));
	memcpy(h.dst, i->kind == TESTER_RELEASE || !memcmp(i->dst, usual, 6) ? pfc_dst : i->dst,
		sizeof(h.dst));
	while (k < t->n_controls && memcmp(&t->control[k], &h, sizeof(h)))
		k++;
	if (k == TESTER_CONTROLS)
		return NULL;
	if (k == t->n_controls)
		t->control[t->n_controls++] = h;
	return &t->control[k];
}

static void fill_control(struct tester *t, struct pkt *p, const struct tester_item *i)
{
	p->kind = (uint8_t)kind_of(i);
	p->hdr = control_hdr(t, i);
	p->u.pfc = i->pfc;
	if (i->kind != TESTER_RELEASE)
		return;
	p->len = PKT_MIN_LEN;
	memset(p->u.pfc.quanta, 0, sizeof(p->u.pfc.quanta));
}

static void fill_data(struct tester *t, struct pkt *p, const struct tester_item *i, uint32_t sent)
{
	uint32_t number = t->seq[i->source]++ % TESTER_NUMBERS;

	p->kind = PKT_GEN;
	p->hdr = &t->p.hdr[i->to * (TESTER_UNTAGGED + 1) + i->pcp];
	p->tos = (uint8_t)(i->tos + sent * i->tos_step);
	p->u.gen = (struct pkt_gen){.source = (uint32_t)t->p.salt << 16 | i->source,
		.seq = (t->step->number & 15u) * TESTER_NUMBERS + number};
}

// A frame of an item; NULL: no descriptor is free.
static struct pkt *make(struct tester *t, const struct tester_item *i, uint32_t sent, tstamp now)
{
	struct pkt *p = i->kind == TESTER_DATA ? pkt_get(t->stack) : pkt_get_ctl(t->stack);

	if (!p) {
		t->s.no_desc++;
		t->desc_at = now + eport_wire_time(&t->ecfg, i->len);
		return NULL;
	}
	*p = (struct pkt){.when = now, .born = now, .len = i->len, .in_port = PKT_NO_PORT};
	if (i->kind == TESTER_DATA)
		fill_data(t, p, i, sent);
	else
		fill_control(t, p, i);
	return p;
}

// Books a frame that leaves. Returns the instant of its last bit.
static tstamp left(struct tester *t, const struct pkt *p, tstamp now)
{
	tstamp start = tstamp_max(now, t->e.tat);

	mac_left(&t->pt, t->events, &t->s.pause_tx_frames, p, now);
	tester_see(t, p, true, start);
	eport_sent(&t->e, 0, p->len, now);
	t->s.tx_frames++;
	t->s.tx_bytes += p->len + PKT_FCS;
	if (t->step)
		t->step->busy += t->e.tat - start;
	return t->e.tat;
}

// Classes of a hold or a release, and WHOLE.
static unsigned classes_of(const struct tester_item *i)
{
	return i->opcode == MACCTL_PAUSE ? WHOLE : i->pfc.enable;
}

// Ends the holds of these classes; a hold goes on for its other classes.
static void release(struct tester *t, unsigned classes)
{
	unsigned n = 0;

	for (unsigned i = 0; i < t->n_holds; i++) {
		struct tester_hold *h = &t->hold[i];
		unsigned rest = classes_of(&h->item) & ~classes;

		if (h->item.opcode == MACCTL_PFC)
			h->item.pfc.enable = (uint8_t)rest;
		if (rest)
			t->hold[n++] = *h;
	}
	t->n_holds = n;
}

// The first frame of a hold has left; it was due at `due`. It takes its classes from other holds,
// so there are never more than one for each class and one for PAUSE.
static void keep_hold(struct tester *t, const struct tester_item *i, tstamp due)
{
	release(t, classes_of(i));
	if (classes_of(i) && t->n_holds < TESTER_HOLDS)
		t->hold[t->n_holds++] =
			(struct tester_hold){.item = *i, .next = tstamp_add(due, i->gap)};
}

// The next frame of a hold that is due by `now`; NULL: none is due, or no descriptor is free.
static struct pkt *next_of_holds(struct tester *t, tstamp now)
{
	for (unsigned i = 0; i < t->n_holds; i++) {
		struct tester_hold *h = &t->hold[i];
		struct pkt *p = h->next <= now ? make(t, &h->item, 0, now) : NULL;

		if (!p)
			continue;
		left(t, p, now);
		h->next += h->item.gap;
		return p;
	}
	return NULL;
}

// Notes how late a frame of an item leaves, apart from its wait for the wire.
static void note_late(
	struct tester *t, const struct tester_item *i, tstamp due, bool own, tstamp now)
{
	tstamp late = tstamp_since(now, tstamp_max(due, t->e.tat));

	if (own)
		t->step->late = tstamp_max(t->step->late, late);
	if (!i->gap)
		t->step->idle += late;
}

static struct pkt *next_of_list(struct tester *t, tstamp now)
{
	int k = tester_list_pick(&t->list, waits(t), now);
	const struct tester_item *i = k < 0 ? NULL : &t->list.item[k];
	struct pkt *p = i ? make(t, i, tester_list_sent(&t->list, (unsigned)k), now) : NULL;
	tstamp due, end;
	bool own;

	if (!p)
		return NULL;
	due = tester_list_due(&t->list, (unsigned)k, &own);
	note_late(t, i, due, own, now);
	end = left(t, p, now);
	if (i->kind == TESTER_HOLD)
		keep_hold(t, i, due);
	else if (i->kind == TESTER_RELEASE)
		release(t, classes_of(i));
	tester_list_left(&t->list, (unsigned)k, end);
	if (!t->list.finite)
		atomic_store_explicit(&t->step->ended, t->list.end, memory_order_release);
	return p;
}

unsigned tester_tx(struct tester *t, unsigned port, struct pkt **burst, unsigned max, tstamp now)
{
	unsigned n = 0;

	(void)port;
	now = advance(t, now);
	while (t->up && n < max && now >= t->desc_at && eport_free(&t->e, now)) {
		struct pkt *p = next_of_holds(t, now);

		if (!p)
			p = next_of_list(t, now);
		if (!p)
			break;
		burst[n++] = p;
	}
	reckon(t);
	assert(n == max || t->deadline > now);
	return n;
}

tstamp tester_deadline(const struct tester *t, unsigned port)
{
	(void)port;
	return t->deadline;
}

tstamp tester_urgent(const struct tester *t, unsigned port)
{
	(void)port;
	return leaves_at(t, tstamp_min(next_hold(t), tester_list_next(&t->list, true)));
}

static int begin(struct tester *t, struct tester_step *step, tstamp now)
{
	for (unsigned k = 0; k < step->n; k++) {
		const struct tester_item *i = &step->item[k];

		if (i->kind == TESTER_DATA)
			t->seq[i->source] = 0;
		else if (!control_hdr(t, i))
			return -ENOSPC;
	}
	step->began = step->began ? step->began : now;
	t->step = step;
	tester_list_begin(&t->list, step->item, step->n, step->began);
	atomic_store_explicit(
		&step->ended, t->list.finite ? TSTAMP_NEVER : step->began, memory_order_release);
	return 0;
}

static void end_step(struct tester *t, tstamp now)
{
	t->step = NULL;
	tester_list_begin(&t->list, NULL, 0, now);
}

// The step is the driver's to read and the node's to write, so the command does not keep it const.
static struct tester_step *step_of(const struct ctl *ctl)
{
	return (struct tester_step *)(uintptr_t)ctl->with;
}

int tester_ctl(struct tester *t, const struct ctl *ctl, tstamp now)
{
	int rc = 0;

	now = advance(t, now);
	if (ctl->type == CTL_LINK_DOWN || ctl->type == CTL_LINK_UP)
		t->up = ctl->type == CTL_LINK_UP;
	else if (ctl->type == CTL_QUIESCE || ctl->type == CTL_GO_ON)
		t->quiet = ctl->type == CTL_QUIESCE;
	else if (ctl->type == CTL_PAUSE || ctl->type == CTL_RESUME)
		t->paused = ctl->type == CTL_PAUSE;
	else if (ctl->type == CTL_TESTER && ctl->with)
		rc = begin(t, step_of(ctl), now);
	else if (ctl->type == CTL_TESTER)
		end_step(t, now);
	else
		rc = -EINVAL;
	reckon(t);
	node_touch(&t->touched, 0);
	return rc;
}

struct node_touched *tester_touched(struct tester *t)
{
	return &t->touched;
}

bool tester_is_up(const struct tester *t)
{
	return t->up;
}

bool tester_is_quiet(const struct tester *t)
{
	return waits(t) || t->list.n_begun == t->list.n_mac;
}

uint8_t tester_holds(struct tester *t, tstamp now)
{
	tester_account(t, now);
	return t->pt.paused;
}

const struct tester_stats *tester_stats(const struct tester *t)
{
	return &t->s;
}

const struct eport *tester_eport(const struct tester *t)
{
	return &t->e;
}

const struct pause_rx *tester_pause_rx(const struct tester *t)
{
	return &t->pr;
}

const struct pause_tx *tester_pause_tx(const struct tester *t)
{
	return &t->pt;
}

void tester_account(struct tester *t, tstamp now)
{
	now = advance(t, now);
	pause_rx_account(&t->pr, now);
	pause_tx_account(&t->pt, now);
}
